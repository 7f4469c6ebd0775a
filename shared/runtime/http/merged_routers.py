"""Merge routers."""

from fastapi import APIRouter


def merge_routers(*routers: APIRouter) -> APIRouter:
    """Return a router with the routes of these, in order.

    Including a router in another makes the framework rebuild every route, and match requests through nested routers:
    half of a service's start time.
    """
    router = APIRouter()
    for each in routers:
        router.routes.extend(each.routes)
    return router
