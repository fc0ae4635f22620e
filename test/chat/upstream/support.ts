import { createTextLimits } from '../../../src/chat/answer-text'
import type { EngineRun } from '../../../src/chat/engine'
import { UpstreamFailed } from '../../../src/chat/engine'
import { readRequest } from '../../../src/chat/request'
import type { ChatRequest } from '../../../src/chat/schema'
import type { ToolDescription } from '../../../src/chat/upstream/chat-completions'
import type { UpstreamLimits, UpstreamSettings } from '../../../src/chat/upstream/client'
import { createUpstream } from '../../../src/chat/upstream/engine'
import type { Session } from '../../../src/db/database'
import type { ChatAction } from '../../../src/tools/schema'
import type { CitationSource } from '../../../src/tools/source'
import type { ToolOutcome } from '../../../src/tools/tool'
import { play, type Reply } from './server'

export const KEY = 'sk-very-secret-key'
/** 2026-03-01 is a Sunday. */
export const NOW = Date.UTC(2026, 2, 1, 8, 15)

const input = { type: 'object', properties: { query: { type: 'string' } }, additionalProperties: false }
export const CATALOGUE: readonly ToolDescription[] = [
  { name: 'search', description: 'Finds notes.', input, risk: 'read' },
  { name: 'create_task', description: 'Adds a task.', input, risk: 'create' },
]

export const SOURCE: CitationSource = {
  type: 'note',
  id: '01980000-0000-7000-8000-000000000000',
  title: 'House',
  revision: 1,
  text: 'The boiler warranty ends on 3 May 2027.',
  start: 0,
  end: 39,
}

export const outcome = (part: Partial<ToolOutcome> = {}): ToolOutcome => ({
  result: { items: [] },
  action: null,
  fault: null,
  sources: [],
  ...part,
})

/** A task that was added. */
export const ADDED: ChatAction = {
  n: 0,
  tool: 'create_task',
  risk: 'create',
  status: 'done',
  target: null,
  summary: 'Added a task.',
  result: null,
  undo: null,
  after_reading: false,
  preview: null,
  confirm: { token: 'secret-token', code: '7k2f9q', expires_at: '2026-03-01T08:25:00.000Z' },
  error: null,
}

export interface Heard {
  readonly said: string[]
  readonly warnings: string[]
  readonly calls: { tool: string; args: unknown }[]
}

type Tool = (tool: string, args: unknown) => ToolOutcome | Promise<ToolOutcome>

/** The seam towards the core, as a list of what went through it. An engine has no use for the session. */
function makeRun(
  request: Partial<ChatRequest>,
  tool: Tool,
  signal: AbortSignal,
  streams: boolean,
  said: () => void,
): EngineRun & { readonly heard: Heard } {
  const heard: Heard = { said: [], warnings: [], calls: [] }
  const sources: CitationSource[] = []
  const ask = readRequest({ messages: [{ role: 'user', content: 'When does the warranty end?' }], ...request })
  const limits = createTextLimits(ask.stop, ask.tokenLimit)
  return {
    heard,
    ask,
    get ended() {
      return limits.ended
    },
    get session(): Session {
      throw new Error('a language model has no workspace of its own')
    },
    signal,
    streams,
    say(text) {
      heard.said.push(text)
      limits.push(text)
      said()
    },
    cite(source) {
      if (!sources.includes(source)) sources.push(source)
      return sources.indexOf(source) + 1
    },
    async call(name, args) {
      heard.calls.push({ tool: name, args })
      return tool(name, args)
    },
    listWaiting: async () => [],
    undo: () => Promise.reject(new Error('only the embedded engine undoes')),
    rate: () => {},
    warn: (code) => void (heard.warnings.includes(code) || heard.warnings.push(code)),
  }
}

export interface Scene {
  readonly replies: readonly Reply[]
  readonly settings?: Partial<UpstreamSettings>
  readonly limits?: Partial<UpstreamLimits>
  readonly request?: Partial<ChatRequest>
  readonly tool?: Tool
  readonly signal?: AbortSignal
  /** Whether the caller gets the text as it comes; true if absent. */
  readonly streams?: boolean
  /** Waits where a server wants it; else the wait is noted and over at once. */
  readonly reallyWait?: boolean
}

/** A server, an engine that talks to it, and a run; everything that either of them noticed. */
export async function stage(scene: Scene) {
  const {
    replies,
    settings = {},
    limits,
    request = {},
    tool = () => outcome(),
    signal,
    streams = true,
    reallyWait = false,
  } = scene
  const server = await play(...replies)
  const logged: { level: string; fields: { excerpt?: string; status?: number | null } }[] = []
  const waited: number[] = []
  const log = (level: string) => (fields: object) => void logged.push({ level, fields })
  const engine = createUpstream(
    {
      baseUrl: server.url,
      model: 'm',
      apiKey: KEY,
      limits: { firstByteMs: 10_000, stallMs: 10_000, totalMs: 20_000, ...limits },
      ...settings,
    },
    {
      now: () => NOW,
      log: { warn: log('warn'), error: log('error') },
      ...(reallyWait ? {} : { pause: async (ms: number) => void waited.push(ms) }),
    },
    CATALOGUE,
  )
  const fresh = (other = request) => makeRun(other, tool, signal ?? new AbortController().signal, streams, server.said)
  return { server, engine, logged, waited, run: fresh(), fresh }
}

/** Plays a scene to its end. `failure` where the model failed; other errors are thrown. */
export async function act(scene: Scene) {
  const staged = await stage(scene)
  try {
    const { engine, run, server, logged, waited } = staged
    const outcomes = await engine.answer(run).then(
      (ending) => ({ ending, failure: null }),
      (error: unknown) => {
        if (!(error instanceof UpstreamFailed)) throw error
        return { ending: null, failure: error }
      },
    )
    return { ...outcomes, ...run.heard, text: run.heard.said.join(''), seen: server.seen, logged, waited }
  } finally {
    staged.server.stop()
  }
}
