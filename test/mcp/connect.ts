import { onTestFinished } from 'bun:test'
import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** The SDK's own clients of both eras, connected to a server. They close with the test. */

export interface CallResult {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly structuredContent?: any
  readonly isError?: boolean
}

export interface ListedTools {
  readonly tools: readonly {
    readonly name: string
    readonly title?: string
    readonly inputSchema: object
    readonly outputSchema?: object
    readonly annotations?: { readonly readOnlyHint?: boolean; readonly [hint: string]: unknown }
  }[]
}

/** What the clients of both eras can do. Errors of the protocol are thrown. */
export interface Connected {
  /** The instructions of the server. */
  readonly instructions: string
  list(): Promise<ListedTools>
  call(name: string, args?: Record<string, unknown>): Promise<CallResult>
}

const INFO = { name: 'test', version: '1' }

interface Options {
  /** What a user says to each question; without it the client cannot ask. */
  readonly answer?: (message: string) => ElicitResult
  /** More of the address, such as `?mode=read`. */
  readonly query?: string
}

/** A client of the newest revision, which is what the library has. */
export async function openModern(base: string, key: string | null, { answer, query = '' }: Options = {}) {
  const client = new Client(INFO, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    capabilities: answer ? { elicitation: { form: {} } } : {},
  })
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message))
  await client.connect(new StreamableHTTPClientTransport(...targetOf(base, key, query)))
  onTestFinished(() => client.close())
  return client
}

/** A client of the revision 2025-11-25, which is what people use today. */
export async function openLegacy(base: string, key: string | null, { query = '' }: Options = {}) {
  const client = new OldClient(INFO)
  // Its types lack exactOptionalPropertyTypes.
  await client.connect(new OldTransport(...targetOf(base, key, query)) as Parameters<typeof client.connect>[0])
  onTestFinished(() => client.close())
  return client
}

function targetOf(base: string, key: string | null, query: string) {
  const headers: Record<string, string> = key === null ? {} : { 'X-API-Key': key }
  return [new URL(`/api/mcp${query}`, base), { requestInit: { headers } }] as const
}

const connected = (client: Client | OldClient): Connected => ({
  instructions: client.getInstructions() ?? '',
  list: () => client.listTools() as Promise<ListedTools>,
  call: (name, args = {}) => client.callTool({ name, arguments: args }) as Promise<CallResult>,
})

export const connectModern = async (...to: Parameters<typeof openModern>) => connected(await openModern(...to))
export const connectLegacy = async (...to: Parameters<typeof openLegacy>) => connected(await openLegacy(...to))

/** The clients of both eras, for describe.each. */
export const ERAS = [
  ['2026-07-28', connectModern],
  ['2025-11-25', connectLegacy],
] as const
