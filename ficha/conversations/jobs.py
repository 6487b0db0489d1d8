"""The jobs of the bridge. There are none where it is off."""

from dataclasses import dataclass
from datetime import timedelta

from ficha.channels.chatwoot.client import Chatwoot
from ficha.channels.chatwoot.help_desk import HelpDesk
from ficha.channels.messenger import Messenger
from ficha.channels.services import JobServices
from ficha.conversations import desk_conversations
from ficha.conversations.agent_answers import AgentAnswers, AgentHook
from ficha.conversations.bridge import Bridge, ThreadLabels
from ficha.jobs.kinds import Kind

LONGEST_WAIT = timedelta(minutes=1)


@dataclass(frozen=True)
class ConversationJobs(JobServices):
    chatwoot: Chatwoot
    messenger: Messenger
    on_agent: AgentHook
    thread_labels: ThreadLabels

    def kinds(self) -> list[Kind]:
        if not self.settings.bridges_conversations:
            return []
        desk = HelpDesk(self.chatwoot, self.settings)
        answers = AgentAnswers(self, desk, self.messenger, self.on_agent)
        bridge = Bridge(self, desk, answers, self.on_agent, self.thread_labels)
        return [
            # What gave up is taken up again by the sweep.
            Kind(desk_conversations.SEND_THREAD, bridge.send_thread, attempts=100, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.READ_DESK, bridge.read_desk, attempts=100, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.WRITE_STATE, answers.write_state, attempts=20, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.REFUSE, answers.write_refusal, attempts=100, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.OPEN_EMERGENCY, bridge.open_emergency, attempts=100, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.SWEEP, bridge.sweep, attempts=1, every=LONGEST_WAIT),
        ]
