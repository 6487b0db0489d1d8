"""Accounts, sessions, and verifying a correo or a phone."""

from ficha.api.accounts import auth, email, local, phone, test_registration, tokens

OPERATIONS = (auth.operations, tokens.operations, phone.operations, email.operations)
CSRF_COOKIE = (auth.csrf_operations,)
TEST_REGISTRATION = (test_registration.operations,)
LOCAL = (local.operations,)
