"""Accounts, sessions, and verifying a correo or a phone."""

from ficha.api.accounts import auth, email, local, phone, registration_for_tests, tokens, user_pic

OPERATIONS = (auth.operations, tokens.operations, phone.operations, email.operations, user_pic.operations)
CSRF_COOKIE = (auth.csrf_operations,)
TEST_REGISTRATION = (registration_for_tests.operations,)
LOCAL = (local.operations,)
