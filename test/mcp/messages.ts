import { expect } from 'bun:test'
import type { Visitor } from '../support/visitor'

/** Messages of JSON-RPC as clients of the two eras send them. */

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A message without a revision: one of 2025. */
export const rpc = <P extends object>(method: string, params = {} as P, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
export const toolCall = (name: string, args: object = {}) => rpc('tools/call', { name, arguments: args })

export type Era = 'modern' | 'legacy'

/** What a POST is, with its headers. */
export function messageOf(era: Era, method: string, params: Record<string, unknown> = {}, id: string | number = 1) {
  const accept = { Accept: 'application/json, text/event-stream' }
  if (era === 'legacy')
    return {
      headers: { ...accept, 'MCP-Protocol-Version': '2025-11-25' },
      body: rpc(method, params, id),
    }
  const named = params.name ?? params.uri
  const name = typeof named === 'string' ? { 'Mcp-Name': `=?base64?${Buffer.from(named).toString('base64')}?=` } : {}
  return {
    headers: { ...accept, ...name, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method },
    body: rpc(method, { ...params, _meta: META }, id),
  }
}

/** Sends a request, and returns the status and the JSON of its response. */
export async function ask(
  visitor: Visitor,
  method: string,
  params: Record<string, unknown> = {},
  { era = 'modern' as Era, path = '/api/mcp' } = {},
) {
  const response = await visitor.send({ method: 'POST', path, ...messageOf(era, method, params) })
  const message = await response.json()
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  return { status: response.status, result: message.result as any, error: message.error as any }
}

/** Sends a request that must succeed, and returns its JSON. */
export async function send(me: Visitor, method: string, path: string, body?: unknown) {
  const response = await me.send({ method, path, ...(body === undefined ? {} : { body }) })
  expect(response.status).toBeLessThan(300)
  return response.status === 204 ? null : response.json()
}

export const addNote = (me: Visitor, note: object): Promise<{ id: string; title: string }> =>
  send(me, 'POST', '/api/notes', note)
export const noteUri = (name: string) => `satchel://note/${encodeURIComponent(name)}`

/** A stream of notifications. */
export class Listener {
  readonly told: { readonly method?: string; readonly params?: Record<string, unknown>; readonly result?: object }[] =
    []
  comments = 0
  isDone = false
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #unread = ''
  readonly #decoder = new TextDecoder()

  constructor(readonly response: Response) {
    this.#reader = response.body?.getReader()
  }

  static async open(visitor: Visitor, notifications: Record<string, unknown>): Promise<Listener> {
    const message = messageOf('modern', 'subscriptions/listen', { notifications }, 'sub')
    return new Listener(await visitor.send({ method: 'POST', path: '/api/mcp', ...message }))
  }

  /** Reads until so many messages were told in all, or to the end. */
  async until(count: number): Promise<this> {
    while (this.told.length < count && !this.isDone) await this.readOnce()
    return this
  }

  /** Reads until a message is told that fits, or to the end. */
  async untilTold(fits: (method: string | undefined, uri: unknown) => boolean): Promise<this> {
    while (!this.told.some(({ method, params }) => fits(method, params?.uri)) && !this.isDone) await this.readOnce()
    return this
  }

  /** What was told after the first message, which acknowledges: URIs, and `list` for a changed list. */
  get events(): unknown[] {
    return this.told.flatMap(({ method, params }) => {
      if (method === 'notifications/resources/updated') return [params?.uri]
      return method === 'notifications/resources/list_changed' ? ['list'] : []
    })
  }

  async cut(): Promise<void> {
    await this.#reader?.cancel()
  }

  /** Reads what comes next, or the end. */
  async readOnce(): Promise<void> {
    const chunk = await this.#reader?.read()
    if (!chunk || chunk.done) {
      this.isDone = true
      return
    }
    const events = (this.#unread + this.#decoder.decode(chunk.value, { stream: true })).split('\n\n')
    this.#unread = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '))
      if (data) this.told.push(JSON.parse(data.slice('data: '.length)))
      else this.comments += 1
    }
  }
}
