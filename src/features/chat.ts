import { Elysia } from 'elysia'
import { createEmbeddings } from '../chat/embeddings'
import { createBudget, createEngines } from '../chat/engines'
import { createIdempotentRuns } from '../chat/idempotent-runs'
import { createLocalEngine, type LocalEngineDeps } from '../chat/local/engine'
import { summarize } from '../chat/local/summary'
import { ollamaRoutes } from '../chat/ollama/routes'
import { openAiRoutes } from '../chat/openai/routes'
import { createResponder } from '../chat/responder'
import { chatRoutes } from '../chat/routes'
import { createChat } from '../chat/service'
import { confirmationsJob } from '../chat/tools/confirmations'
import { createExecutor } from '../chat/tools/executor'
import type { ChatServices } from '../chat/tools/services'
import type { UpstreamSettings } from '../chat/upstream/client'
import { createUpstream } from '../chat/upstream/engine'
import type { Reserve } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { wipeTables } from '../db/erasing'
import type { Once, Recall } from '../http/idempotency'
import type { RequestPlugin } from '../http/request'
import type { Encoder } from '../search/meaning/encoder'

/** What an operator decides about chat. */
export interface ChatSettings {
  /** Null: no language model, and not one outgoing connection. */
  readonly upstream: UpstreamSettings | null
  /** Whether callers without a key may use it. */
  readonly anonymous: boolean
  readonly tokensPerDay: number
  readonly concurrency: number
  readonly fallback: 'local' | 'error'
}

export interface ChatFeatureDeps extends LocalEngineDeps, Pick<Context, 'now' | 'ids' | 'random' | 'log' | 'db'> {
  readonly settings: ChatSettings
  /** Of this server. */
  readonly version: string
  readonly reserve: Reserve
  readonly once: Once
  readonly recall: Recall
  /** Makes embeddings; null where the operator has named no model for them. */
  readonly encoder: Encoder | null
  readonly api: RequestPlugin
  /** The services of the other features that tools call. */
  readonly services: ChatServices
}

/** Silence after which a stream shows that it is alive. */
const QUIET_MS = 10_000

/** Chat and all that belongs to it: the engines, the tools they act through, and its three APIs. */
export function chatFeature(deps: ChatFeatureDeps) {
  const { settings, version, now, ids, random, log, db, reserve, api, services } = deps
  const executor = createExecutor({ random, services, summarize })
  const engines = createEngines({
    anonymous: settings.anonymous,
    budget: createBudget({ ...settings, now }),
    local: createLocalEngine(deps),
    upstream: settings.upstream && createUpstream(settings.upstream, { now, log }, executor.catalogue),
  })
  const openRun = createIdempotentRuns({ now, reserve })
  const chat = createChat({ engines, executor, openRun, fallback: settings.fallback, log, now, ids })
  const responder = createResponder({ chat, log, keepAliveMs: QUIET_MS })
  const embeddings = createEmbeddings({ ...deps, budget: createBudget({ ...settings, now }) })
  const models = (from: Session) => engines.models(from)
  const since = now()

  const routes = new Elysia({ name: 'chat' })
    .use(chatRoutes({ responder, api }))
    .use(ollamaRoutes({ version, since, embeddings, models, api }))
    .use(openAiRoutes({ responder, embeddings, models, since, api }))
  // What was used of a day's tokens is kept: erasing is no way to more of them.
  return { routes, jobs: [confirmationsJob({ db, now })], trash: [], wipe: wipeTables(['chat_confirmations']) }
}
