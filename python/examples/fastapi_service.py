"""A service that decides about pages: uvicorn fastapi_service:app

    curl -s localhost:8000/decide -H 'Content-Type: application/json' -d '{
      "url": "https://example.com/", "html": "<meta name=robots content=noindex>", "robots_txt": "User-agent: *\\nAllow: /"}'
"""

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from robots_policy import Policy, RobotsError

app = FastAPI()


class Page(BaseModel):
    """A page, with the robots.txt of its site if it is known."""

    url: str
    html: str
    robots_txt: str | None = None
    headers: list[tuple[str, str]] = []
    agent: str = "ExampleBot"
    profile: str = "neutral"


@app.exception_handler(RobotsError)
def wrong_argument(_: Request, error: RobotsError) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=422)


@app.post("/decide")
def decide(page: Page) -> dict:
    """Returns the decision, with its reasons. FastAPI runs it in a thread of its own."""
    policy = Policy(page.agent, page.profile)
    if page.robots_txt is not None:
        policy.learn(page.url, page.robots_txt)
    return policy.decide(page.url, page.html, headers=page.headers).to_dict()
