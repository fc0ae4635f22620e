import type { Session } from '../db/database'
import { citationOf, limited, marksOf } from './compose'
import { createLocalEngine, type LocalDeps } from './local/engine'
import { type Ask, estimateTokens, readRequest } from './request'
import type { Run, ToolOutcome } from './run'
import type { ChatAnswer, ChatRequest, Citation } from './schema'

export interface ChatDependencies extends LocalDeps {
  /** Milliseconds since 1970; fractions are welcome, since durations are told in nanoseconds. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
}

export interface ChatService {
  /**
   * Answers the last user message from the notes of the session's workspace. `warnings` are those the caller has
   * already; they come first in the answer. Throws a Refusal for what the schema could not check.
   */
  answer(session: Session, request: ChatRequest, warnings?: readonly string[]): Promise<ChatAnswer>
}

export function createChat({ now, ids, ...deps }: ChatDependencies): ChatService {
  const engine = createLocalEngine(deps)
  return {
    async answer(session, request, warnings = []) {
      const started = now()
      const ask = readRequest(request)
      const { run, reply } = quotingRun(session, ask)
      await engine.answer(run)
      const written = write(ask, reply)
      const duration = Math.max(0, Math.round((now() - started) * 1e6))
      return {
        id: ids(),
        model: 'satchel-local',
        engine: 'local',
        created_at: new Date(started).toISOString(),
        ...written,
        warnings: [...warnings, ...ask.warnings, ...reply.warnings],
        ...measured(ask, written.message.content, duration),
      }
    },
  }
}

interface Reply {
  text: string
  readonly citations: Citation[]
  readonly warnings: string[]
}

const NO_TOOL: ToolOutcome = {
  result: {},
  action: null,
  fault: { code: 'unavailable', detail: 'Chat reads notes, and has no tools yet.' },
  sources: [],
}

/** A run that can quote and nothing else. */
function quotingRun(session: Session, ask: Ask): { run: Run; reply: Reply } {
  const reply: Reply = { text: '', citations: [], warnings: [] }
  const run: Run = {
    session,
    ask,
    signal: new AbortController().signal,
    say(text) {
      reply.text += text
    },
    cite: (source) => reply.citations.push(citationOf(source, reply.citations.length + 1)),
    call: async () => NO_TOOL,
    warn: (code) => void reply.warnings.push(code),
  }
  return { run, reply }
}

/** The text and what it rests on. Where the caller's limits cut a mark off, its citation is no longer cited. */
function write(ask: Ask, reply: Reply) {
  const { text, cut } = limited(reply.text, ask)
  const marks = marksOf(text)
  const citations = reply.citations.map((citation) => ({ ...citation, cited: marks.has(citation.n) }))
  return {
    message: { role: 'assistant' as const, content: text },
    done: true,
    done_reason: cut ? ('length' as const) : ('stop' as const),
    grounded: citations.length > 0 && marks.isSubsetOf(new Set(citations.map(({ n }) => n))),
    citations,
    actions: [],
  }
}

/** What it cost. Nothing is loaded, and reading the question is not told apart from answering it. */
function measured(ask: Ask, text: string, duration: number) {
  const completionTokens = estimateTokens(text)
  return {
    usage: {
      prompt_tokens: ask.promptTokens,
      completion_tokens: completionTokens,
      steps: 1,
      tool_calls: 0,
      estimated: true,
    },
    total_duration: duration,
    load_duration: 0,
    prompt_eval_count: ask.promptTokens,
    prompt_eval_duration: 0,
    eval_count: completionTokens,
    eval_duration: duration,
  }
}
