"""Countries by their two-letter codes, and the countries that federal forms accept."""

from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints

COUNTRIES: Final = frozenset((
    "AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AQ", "AR", "AS", "AT", "AU", "AW", "AX", "AZ", "BA", "BB",
    "BD", "BE", "BF", "BG", "BH", "BI", "BJ", "BL", "BM", "BN", "BO", "BQ", "BR", "BS", "BT", "BV", "BW", "BY",
    "BZ", "CA", "CC", "CD", "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN", "CO", "CR", "CU", "CV", "CW", "CX",
    "CY", "CZ", "DE", "DJ", "DK", "DM", "DO", "DZ", "EC", "EE", "EG", "EH", "ER", "ES", "ET", "FI", "FJ", "FK",
    "FM", "FO", "FR", "GA", "GB", "GD", "GE", "GF", "GG", "GH", "GI", "GL", "GM", "GN", "GP", "GQ", "GR", "GS",
    "GT", "GU", "GW", "GY", "HK", "HM", "HN", "HR", "HT", "HU", "ID", "IE", "IL", "IM", "IN", "IO", "IQ", "IR",
    "IS", "IT", "JE", "JM", "JO", "JP", "KE", "KG", "KH", "KI", "KM", "KN", "KP", "KR", "KW", "KY", "KZ", "LA",
    "LB", "LC", "LI", "LK", "LR", "LS", "LT", "LU", "LV", "LY", "MA", "MC", "MD", "ME", "MF", "MG", "MH", "MK",
    "ML", "MM", "MN", "MO", "MP", "MQ", "MR", "MS", "MT", "MU", "MV", "MW", "MX", "MY", "MZ", "NA", "NC", "NE",
    "NF", "NG", "NI", "NL", "NO", "NP", "NR", "NU", "NZ", "OM", "PA", "PE", "PF", "PG", "PH", "PK", "PL", "PM",
    "PN", "PR", "PS", "PT", "PW", "PY", "QA", "RE", "RO", "RS", "RU", "RW", "SA", "SB", "SC", "SD", "SE", "SG",
    "SH", "SI", "SJ", "SK", "SL", "SM", "SN", "SO", "SR", "SS", "ST", "SV", "SX", "SY", "SZ", "TC", "TD", "TF",
    "TG", "TH", "TJ", "TK", "TL", "TM", "TN", "TO", "TR", "TT", "TV", "TW", "TZ", "UA", "UG", "UM", "US", "UY",
    "UZ", "VA", "VC", "VE", "VG", "VI", "VN", "VU", "WF", "WS", "YE", "YT", "ZA", "ZM", "ZW",
))  # fmt: skip
"""The codes of ISO 3166-1 alpha-2, from `iso3166.tab` of the time zone database, 2026f (public domain).

A code that ISO withdraws stays in this set, because recorded facts may contain it.
"""

US_TERRITORIES: Final = frozenset(("AS", "GU", "MP", "PR", "UM", "VI"))
"""The codes in ISO 3166-1 that federal forms treat as states or territories of the United States."""


def _known(code: str) -> str:
    """Return a code that is in ISO 3166-1. Raises: ValueError for any other code."""
    if code not in COUNTRIES:
        raise ValueError("no country has this code in ISO 3166-1")
    return code


def _on_forms(code: str) -> str:
    """Return a code that federal forms accept as a country. Raises: ValueError for a territory of the United States."""
    if code in US_TERRITORIES:
        raise ValueError(
            "a territory of the United States is one of its states on federal forms, and no foreign country: "
            "write US, with this code as the state"
        )
    return code


Country = Annotated[str, StringConstraints(pattern="^[A-Z]{2}$"), AfterValidator(_known)]
"""A country, by its two-letter code in ISO 3166-1."""

CountryOnForms = Annotated[Country, AfterValidator(_on_forms)]
"""A country as on FinCEN and IRS forms: a territory of the United States is a state of the country US."""
