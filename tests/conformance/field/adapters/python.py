"""Answers questions with one library for Python: `python3 python.py LIBRARY`. The protocol is in README.md."""

import base64
import json
import sys


def text(question):
    """Returns the file as text: bytes that are not UTF-8 become U+FFFD."""
    return body(question).decode("utf-8", "replace")


def body(question):
    """Returns the file as bytes."""
    if "robots_base64" in question:
        return base64.b64decode(question["robots_base64"])
    return question["robots"].encode("utf-8")


def protego(question):
    from protego import Protego

    rules = Protego.parse(text(question))
    if question["ask"] == "crawl_delay":
        return rules.crawl_delay(question["agent"])
    return rules.can_fetch(question["url"], question["agent"])


def robotspy(question):
    from robots.parser import RobotsParser

    if question["ask"] == "crawl_delay":
        raise NotImplementedError("no method for Crawl-delay")
    return RobotsParser.from_string(text(question)).can_fetch(question["agent"], question["url"])


def urllib_robotparser(question):
    from urllib.robotparser import RobotFileParser

    rules = RobotFileParser(question["robots_url"])
    rules.parse(text(question).splitlines())
    # Without a time of reading, the library answers no to every question.
    rules.modified()
    if question["ask"] == "crawl_delay":
        return rules.crawl_delay(question["agent"])
    return rules.can_fetch(question["agent"], question["url"])


def robotexclusionrulesparser(question):
    import robotexclusionrulesparser as library

    syntax = library.MK1996 if question["dialect"] == "koster1996" else library.GYM2008
    rules = library.RobotExclusionRulesParser()
    rules.parse(text(question))
    if question["ask"] == "crawl_delay":
        return rules.get_crawl_delay(question["agent"])
    return rules.is_allowed(question["agent"], question["url"], syntax)


def reppy2(question):
    from reppy.parser import Rules

    rules = Rules(question["robots_url"], 200, text(question), 2**40)
    if question["ask"] == "crawl_delay":
        return rules.delay(question["agent"])
    return rules.allowed(question["url"], question["agent"])


def gpyrobotstxt(question):
    from gpyrobotstxt.robots_cc import RobotsMatcher

    if question["ask"] == "crawl_delay":
        raise NotImplementedError("no method for Crawl-delay")
    return RobotsMatcher().one_agent_allowed_by_robots(body(question), question["agent"], question["url"])


def jwm_robotstxt(question):
    from jwm.robotstxt.googlebot import RobotsMatcher

    if question["ask"] == "crawl_delay":
        raise NotImplementedError("no method for Crawl-delay")
    return RobotsMatcher().OneAgentAllowedByRobots(body(question), question["agent"], question["url"])


def fast_robotstxt(question):
    from robotstxt import RobotsMatcher

    with RobotsMatcher() as matcher:
        allowed = matcher.is_allowed(text(question), question["agent"], question.get("url", "/"))
        return matcher.crawl_delay if question["ask"] == "crawl_delay" else allowed


def fastrobots(question):
    from fastrobots import Robots

    rules = Robots.parse(text(question))
    if question["ask"] == "crawl_delay":
        return rules.crawl_delay(question["agent"])
    return rules.allowed(question["path"], question["agent"])


def robotstxt(question):
    from robotstxt import RobotsFile

    if question["ask"] == "crawl_delay":
        raise NotImplementedError("no method for Crawl-delay")
    return not RobotsFile(text(question)).test_url(question["url"], question["agent"])["disallowed"]


def robots_policy(question):
    from robots_policy import Agent, RobotsTxt

    # The name alone, or that in a User-Agent value: a question states all names of the robot.
    name = question["agent"]
    agent = Agent.from_user_agent(name) if "/" in name else Agent(name)
    rules = RobotsTxt(body(question), url=question["robots_url"]).rules(agent, question["dialect"])
    return rules.crawl_delay if question["ask"] == "crawl_delay" else rules.allowed(question["url"])


LIBRARIES = {
    "protego": protego,
    "robotspy": robotspy,
    "urllib.robotparser": urllib_robotparser,
    "robotexclusionrulesparser": robotexclusionrulesparser,
    "reppy2": reppy2,
    "gpyrobotstxt": gpyrobotstxt,
    "jwm.robotstxt": jwm_robotstxt,
    "fast-robotstxt": fast_robotstxt,
    "fastrobots": fastrobots,
    "robotstxt": robotstxt,
    "robots-policy": robots_policy,
}


def reply(library, question):
    """Returns the answer to a question, or why there is none."""
    try:
        answer = library(question)
    except NotImplementedError as error:
        return {"unsupported": str(error)}
    except Exception as error:  # Whatever a library raises is its answer.
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    if answer is None and question["ask"] == "allowed":
        return {"unsupported": "the library returns None"}
    return {question["ask"]: answer}


def main():
    library = LIBRARIES[sys.argv[1]]
    # What a library prints must not be taken for an answer.
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        answers.write(json.dumps(reply(library, json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
