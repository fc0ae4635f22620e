import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context, Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { ApiError, refuses } from '../http/api-error'
import { declareErrorFormat } from '../http/error-format'
import { readIdempotencyKey } from '../http/responses'
import { alsoAnswers, nameSchemas } from '../http/schema'
import type { McpCall } from './call'
import { MCP_ERRORS, McpError } from './errors'

/** Answers a POST. May throw ApiErrors. */
type Answer = (
  post: { readonly request: Request; readonly body: unknown; readonly requestId: string },
  caller: Omit<McpCall, 'era'>,
) => Promise<Response>

export interface McpRoutesDeps extends Pick<Context, 'now'> {
  /** Loads what answers. It is called at the first request, since the library takes time and memory. */
  readonly load: () => Promise<Answer>
  /** The origins that the operator has named. Pages of others need a key. */
  readonly origins: readonly string[]
  readonly timeZoneOf: (session: Session) => Promise<string>
  readonly api: RequestPlugin
}

const message = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
    method: Type.Optional(Type.String({ description: 'Such as `tools/list` or `tools/call`.' })),
    params: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: true },
)

const McpRequest = Type.Union([message, Type.Array(Type.Unknown())], {
  description: 'A message of JSON-RPC. Only in revisions before 2025-06-18 it may be a batch, of at most 20.',
  examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
})

const McpResponse = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Union([Type.String(), Type.Integer()]),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(
      Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) }),
    ),
  },
  { additionalProperties: true, examples: [{ jsonrpc: '2.0', id: 1, result: { tools: [] } }] },
)

nameSchemas({ McpRequest, McpResponse })
declareErrorFormat(MCP_ERRORS, ['/api/mcp'])

export function mcpRoutes({ load, origins, timeZoneOf, now, api }: McpRoutesDeps) {
  let answer: Promise<Answer> | null = null
  return new Elysia({ tags: ['Agents (MCP)'] }).use(api).post(
    '/api/mcp',
    async ({ request, body, query, session, reply }) => {
      refuseForeignOrigin(request, session, origins)
      // Calls that write look for it; an invalid one is refused with any.
      readIdempotencyKey(request, null)
      const caller = {
        session,
        mode: query.mode ?? 'write',
        timeZone: await timeZoneOf(session),
        now: now(),
        signal: session.deadline?.signal ?? request.signal,
      } as const
      answer ??= load()
      const post = { request, body, requestId: reply.requestId }
      // Elysia's types have no handler that returns either an object or a Response.
      return (await (
        await answer
      )(post, caller)) as never
    },
    {
      body: McpRequest,
      query: Type.Object({
        mode: Type.Optional(
          Type.Union([Type.Literal('read'), Type.Literal('write')], {
            description: 'With `read` there are only tools that read.',
          }),
        ),
      }),
      response: {
        200: McpResponse,
        202: Type.Void({ description: 'A notification was taken.' }),
        403: McpError,
        404: McpError,
      },
      detail: {
        operationId: 'callMcp',
        ...refuses('too_many_streams'),
        ...alsoAnswers({ 'text/event-stream': {} }),
        summary: 'Call the Model Context Protocol',
        description:
          'Satchel as the memory of an agent: tools, resources and prompts over Streamable HTTP, without sessions, in the ' +
          'revisions 2026-07-28 and those of 2025. The key is sent in `X-API-Key`. Each POST is one request of the hour. What ' +
          'replaces or removes much waits until the user confirms it, by an elicitation where the client can, else in a ' +
          'chat. An Idempotency-Key is for a call of a writing tool: it covers the tool and its arguments. Errors of the ' +
          'protocol itself come with 200, and the faults of a tool are results with `isError`. `subscriptions/listen` is ' +
          'answered with Server-Sent Events, which count as a stream of changes: a workspace may have 10 open.',
      },
    },
  )
}

/**
 * Refuses pages of other sites that have no key; of a name that may lead here by DNS rebinding, its own pages as well.
 * @param allowed the origins that the operator has named
 * @throws ApiError forbidden_origin
 */
function refuseForeignOrigin({ headers }: Request, { workspace }: Session, allowed: readonly string[]): void {
  if (workspace.kind === 'key' || workspace.siteKind === 'own' || allowed.includes(headers.get('origin') ?? '')) return
  throw new ApiError('forbidden_origin', 'A page of another origin may call this only with a key in X-API-Key.')
}
