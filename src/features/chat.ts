import { Elysia } from 'elysia'
import { createEmbeddings } from '../chat/embeddings'
import type { Engine } from '../chat/engine'
import { createBudget, createEngines, LOCAL_MODEL } from '../chat/engines'
import { createIdempotentRuns } from '../chat/idempotent-runs'
import type { LocalEngineDeps } from '../chat/local/engine'
import { CURL_PATHS, ollamaRoutes } from '../chat/ollama/routes'
import { createModelNames } from '../chat/openai/models'
import { openAiRoutes } from '../chat/openai/routes'
import { chatRoutes } from '../chat/routes'
import { Chat } from '../chat/service'
import { createResponder } from '../chat/stream'
import type { UpstreamSettings } from '../chat/upstream/client'
import type { Reserve } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import type { LimitedPlaces } from '../db/places'
import { wipeTables } from '../db/trash'
import type { RequestPlugin } from '../http/api'
import type { FindOutcome, RunOnce } from '../http/responses'
import type { Encoder } from '../search/meaning/remote'
import { confirmationsJob } from '../tools/confirmations'
import { createExecutor } from '../tools/executor'
import { undosJob } from '../tools/undos'
import type { Toolbox } from './tools'

/** The settings of chat, which the operator chooses. */
export interface ChatSettings {
  /** The language model; null: there is none, and chat makes no outgoing connection. */
  readonly upstream: UpstreamSettings | null
  /** Tokens of the model for each key or address in a day (UTC). */
  readonly tokensPerDay: number
  /** Requests that the model serves at the same time. */
  readonly concurrency: number
}

export interface ChatFeatureDeps extends LazyEngineDeps, Pick<Context, 'now' | 'ids' | 'random' | 'log' | 'db'> {
  readonly settings: ChatSettings
  /** Counts the requests with a model, in all processes that share it. */
  readonly places: LimitedPlaces
  readonly version: string
  readonly reserve: Reserve
  readonly runOnce: RunOnce
  readonly findOutcome: FindOutcome
  /** Makes embeddings; null if no model for them is set. */
  readonly encoder: Encoder | null
  readonly api: RequestPlugin
  readonly tools: Toolbox
}

/** These may take longer than other paths: a model loads and answers within time limits of its own. */
export const MODEL_PATHS = [
  ...['/api/chat', '/api/generate', '/api/embed', '/api/embeddings'],
  ...['/api/openai', '/api/openai/v1'].flatMap((base) => [`${base}/chat/completions`, `${base}/embeddings`]),
]

/** A silent stream sends a sign of life at this interval. */
const KEEP_ALIVE_MS = 10_000

type LazyEngineDeps = Omit<LocalEngineDeps, 'readWhen' | 'readPeriod' | 'tasks'>

/** Creates an engine whose code is loaded with the first request. */
function createLazyEngine(name: Engine['name'], model: string, load: () => Promise<Engine>): Engine {
  let engine: Engine | undefined
  return {
    name,
    model,
    async answer(run) {
      engine ??= await load()
      return engine.answer(run)
    },
  }
}

async function loadLocalEngine(deps: LazyEngineDeps & Pick<ChatFeatureDeps, 'tools'>): Promise<Engine> {
  const { createLocalEngine } = await import('../chat/local/engine')
  const { readDateWords, readPeriodWords } = await import('../lib/civil/words/date')
  const readIn = ({ timeZone, languages }: Parameters<LocalEngineDeps['readWhen']>[1]) => ({
    now: deps.now(),
    time_zone: timeZone,
    languages,
  })
  return createLocalEngine({
    ...deps,
    tasks: deps.tools.services.tasks,
    readWhen: (words, ask) => readDateWords(words, readIn(ask)),
    readPeriod: (words, ask) => readPeriodWords(words, readIn(ask)),
  })
}

/** Creates chat with its engines, tools and three APIs. */
export function chatFeature(deps: ChatFeatureDeps) {
  const { settings, places, version, now, ids, random, log, db, reserve, api, tools } = deps
  const { upstream } = settings
  const budgetOf = (name: string) => createBudget({ ...settings, name, places, now })
  const executor = createExecutor({ random, services: tools.services, catalogue: tools.chat, everyTool: tools.every })
  const engines = createEngines({
    budget: budgetOf('chat'),
    local: createLazyEngine('local', LOCAL_MODEL, () => loadLocalEngine(deps)),
    upstream:
      upstream &&
      createLazyEngine('upstream', upstream.model, async () =>
        (await import('../chat/upstream/engine')).createUpstream(upstream, { now, log }, executor.catalogue),
      ),
  })
  const openRun = createIdempotentRuns({ now, reserve })
  const chat = new Chat({ engines, executor, openRun, log, now, ids })
  const respond = createResponder({ chat, log, keepAliveMs: KEEP_ALIVE_MS })
  const embeddings = createEmbeddings({ ...deps, budget: budgetOf('embeddings') })
  const models = (session: Session) => engines.models(session)
  const startedAt = now()

  const routes = new Elysia({ name: 'chat' })
    .use(chatRoutes({ respond, models, now, api }))
    .use(ollamaRoutes({ version, since: startedAt, respond, embeddings, models, now, api }))
    .use(openAiRoutes({ respond, embeddings, models: createModelNames({ models, since: startedAt }), api }))
  // The count of used tokens is kept: erasing a workspace must not reset the daily budget.
  const jobs = [confirmationsJob({ db, now }), undosJob({ db, now })]
  return { routes, curlPaths: CURL_PATHS, jobs, trash: [], wipe: wipeTables(['chat_confirmations', 'chat_undos']) }
}
