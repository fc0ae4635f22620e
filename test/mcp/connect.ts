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

/** Connects with the newest revision. */
export async function connectModern(
  base: string,
  key: string | null,
  { answer, query = '' }: Options = {},
): Promise<Connected> {
  const client = new Client(INFO, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    capabilities: answer ? { elicitation: { form: {} } } : {},
  })
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message))
  const headers = headersOf(key)
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${base}/api/mcp${query}`), { requestInit: { headers } }),
  )
  onTestFinished(() => client.close())
  return {
    instructions: client.getInstructions() ?? '',
    list: () => client.listTools() as Promise<ListedTools>,
    call: (name, args = {}) => client.callTool({ name, arguments: args }) as Promise<CallResult>,
  }
}

/** Connects with the revision 2025-11-25. */
export async function connectLegacy(
  base: string,
  key: string | null,
  { query = '' }: Options = {},
): Promise<Connected> {
  const client = new OldClient(INFO)
  const headers = headersOf(key)
  // Its types lack exactOptionalPropertyTypes.
  const transport = new OldTransport(new URL(`${base}/api/mcp${query}`), { requestInit: { headers } })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  onTestFinished(() => client.close())
  return {
    instructions: client.getInstructions() ?? '',
    list: () => client.listTools() as Promise<ListedTools>,
    call: (name, args = {}) => client.callTool({ name, arguments: args }) as Promise<CallResult>,
  }
}

const headersOf = (key: string | null): Record<string, string> => (key === null ? {} : { 'X-API-Key': key })

/** The clients of both eras, for describe.each. */
export const ERAS = [
  ['2026-07-28', connectModern],
  ['2025-11-25', connectLegacy],
] as const
