"""The contracts as documents: JSON Schemas, AsyncAPI and OpenAPI, written from the models."""
