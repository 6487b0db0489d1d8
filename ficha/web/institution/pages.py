"""All pages of institutions, below /centros."""

from ficha.web.institution import invitations, people, rosters, stickers

INSTITUTION = (people.places_routes, people.routes, rosters.routes, invitations.routes, stickers.routes)
