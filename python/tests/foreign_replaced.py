"""A plugin for pytest that puts classes of this package in the place of Protego's and Scrapy's, under their own tests.

FOREIGN_DIALECT is another dialect of Protego's class.
"""

import os

import protego
import scrapy.robotstxt

import robots_policy.protego
import robots_policy.scrapy


class Protego(robots_policy.protego.Protego):
    dialect = os.environ.get("FOREIGN_DIALECT", "rfc9309")


protego.Protego = Protego
scrapy.robotstxt.ProtegoRobotParser = robots_policy.scrapy.RobotParser
