"""A plugin for pytest that puts classes of this package in the place of Protego's and Scrapy's, under their own tests."""

import protego
import scrapy.robotstxt

import robots_policy.protego
import robots_policy.scrapy

protego.Protego = robots_policy.protego.Protego
scrapy.robotstxt.ProtegoRobotParser = robots_policy.scrapy.RobotParser
