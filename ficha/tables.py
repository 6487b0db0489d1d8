"""All tables, imported so that migrations know them."""

from ficha.accounts.accounts import Account, SecondFactor, Token
from ficha.accounts.browser_sessions import BrowserSession
from ficha.accounts.one_time_codes import OneTimeCode
from ficha.accounts.passkeys import Passkey
from ficha.accounts.second_factor import RecoveryCode
from ficha.administration.admin_changes import AdminChange
from ficha.administration.navigation_buttons import NavigationButton
from ficha.administration.projects import Project
from ficha.administration.service_logos import ServiceLogo
from ficha.administration.services import Service
from ficha.administration.subscriptions import Subscription
from ficha.audit.anchors import Anchor
from ficha.audit.chain import AuditEntry
from ficha.cards.carnets import Carnet
from ficha.conversations.desk_conversations import DeskConversation
from ficha.core.secrets import Secret
from ficha.devices.devices import DocumentLookup, PushSubscription
from ficha.emergencies.emergency import AlertTarget, Emergency
from ficha.emergencies.relay_lines import RelayMessage
from ficha.emergencies.steps import CalledContact, Step
from ficha.events.events import Event
from ficha.fmd.break_glass import BreakGlass
from ficha.fmd.entries import Entry, EntryVersion
from ficha.fmd.grants import Grant
from ficha.fmd.records import Record
from ficha.fmd.rules.withdrawn_rules import RuleChange
from ficha.http.idempotency import KeptAnswer
from ficha.institutions.consents import Consent
from ficha.institutions.institution import Institution
from ficha.institutions.institution_roles import InstitutionRole
from ficha.institutions.members import Member
from ficha.institutions.roster_doubts import RosterDoubt
from ficha.institutions.roster_uploads import RosterUpload
from ficha.jobs.schedule import ScheduleRow
from ficha.jobs.table import LeasedJob
from ficha.messaging.files import FilePiece, KeptFile, Upload
from ficha.messaging.opened_messages import OpenedMessage
from ficha.messaging.platform_account import PlatformFact
from ficha.messaging.tables import KnownStatus, KnownTemplate, Message, Notification, SendBudget, Thread, Uptime
from ficha.notices.notices import ReadNotice
from ficha.photos.photos import Photo
from ficha.products.batches import Batch
from ficha.products.decoys import Decoy, TypedHit
from ficha.products.ended_tags import EndedTag
from ficha.products.ledger import LedgerRow
from ficha.products.product import Product
from ficha.products.sealed_tags import SealedTags
from ficha.reminders.reminders import Reminder, ReminderChoice

TABLES = (
    Account,
    AdminChange,
    AlertTarget,
    Anchor,
    AuditEntry,
    Batch,
    BreakGlass,
    BrowserSession,
    SendBudget,
    CalledContact,
    Carnet,
    Consent,
    Decoy,
    DeskConversation,
    DocumentLookup,
    Emergency,
    EndedTag,
    Entry,
    EntryVersion,
    Event,
    FilePiece,
    Grant,
    Uptime,
    Institution,
    InstitutionRole,
    KeptAnswer,
    KeptFile,
    KnownStatus,
    KnownTemplate,
    LeasedJob,
    Member,
    LedgerRow,
    Message,
    NavigationButton,
    Notification,
    OneTimeCode,
    OpenedMessage,
    Passkey,
    Photo,
    PlatformFact,
    Product,
    Project,
    PushSubscription,
    ReadNotice,
    Record,
    RecoveryCode,
    RelayMessage,
    Reminder,
    ReminderChoice,
    RosterDoubt,
    RosterUpload,
    RuleChange,
    ScheduleRow,
    SealedTags,
    SecondFactor,
    Secret,
    Service,
    ServiceLogo,
    Step,
    Subscription,
    Thread,
    Token,
    TypedHit,
    Upload,
)
