import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { readZoneOrDefault } from '../http/default-zone'
import type { FindOutcome, StoreOutcome } from '../http/idempotency'
import type { RequestPlugin } from '../http/request'
import { mcpRoutes } from '../mcp/routes'
import { createExecutor } from '../tools/executor'
import type { Toolbox } from './tools'

export interface McpFeatureDeps extends Pick<Context, 'now' | 'ids' | 'random'> {
  /** The version of this server. */
  readonly version: string
  /** The origins of pages that may call without a key; `*` names none. */
  readonly corsOrigin: '*' | readonly string[]
  readonly tools: Toolbox
  readonly findOutcome: FindOutcome
  readonly storeOutcome: StoreOutcome
  readonly api: RequestPlugin
}

/** Creates the Model Context Protocol. Its library is loaded with the first request. */
export function mcpFeature(deps: McpFeatureDeps) {
  const { version, corsOrigin, tools: toolbox, now, random, api } = deps
  async function load() {
    const [{ createEndpoint }, { createMcpServer }] = await Promise.all([
      import('../mcp/endpoint'),
      import('../mcp/server'),
    ])
    const { services, every } = toolbox
    const executor = createExecutor({ random, services, catalogue: every, everyTool: every })
    const tools = { ...deps, executor }
    return createEndpoint((call, exchange) => createMcpServer({ version, tools }, call, exchange))
  }
  const timeZoneOf = (session: Session) => readZoneOrDefault(session, undefined)
  const origins = corsOrigin === '*' ? [] : corsOrigin
  return { routes: mcpRoutes({ load, origins, timeZoneOf, now, api }) }
}
