"""All pages of institutions, below /centros."""

from ficha.web.institution import invitations, lacks, people, rosters, stickers

INSTITUTION = (
    people.institutions_routes,
    people.routes,
    lacks.routes,
    rosters.routes,
    invitations.routes,
    stickers.routes,
)
