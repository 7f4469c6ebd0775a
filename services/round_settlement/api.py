"""stub"""

from fastapi import APIRouter


def routes(context):
    return APIRouter()
