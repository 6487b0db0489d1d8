"""Our small framework on Starlette: routes, plans, bodies, threads, the frame around requests. It knows no domain."""
