import { expect } from 'bun:test'
import { MANY_CALLERS, makeKey, makeWorld } from '../../support/world'

export interface Caller {
  readonly key: string
}

export interface Item {
  readonly id: string
  readonly title: string
  readonly updated_at: string
  readonly snippets: { readonly field: string; readonly text: string; readonly ranges: [number, number][] }[]
}

/** A world without limits, and callers that search in it. */
export async function makeCallers() {
  const world = await makeWorld({
    settings: MANY_CALLERS,
  })
  let keys = 0

  const ask = (me: Caller, q: string, more: Record<string, string> = {}) =>
    world.call(me, 'GET', `/api/notes/search?${new URLSearchParams({ q, ...more })}`)

  async function items(me: Caller, q: string, more: Record<string, string> = {}): Promise<Item[]> {
    const { status, body } = await ask(me, q, more)
    expect([q, status, body.code]).toEqual([q, 200, undefined])
    return body.items
  }

  return {
    world,
    ask,
    items,
    /** A caller with a workspace of its own. */
    stranger: (): Caller => ({ key: makeKey(++keys) }),
    titles: async (me: Caller, q: string, more: Record<string, string> = {}) =>
      (await items(me, q, more)).map(({ title }) => title),
    async create(me: Caller, input: object): Promise<{ id: string }> {
      const { status, body } = await world.call(me, 'POST', '/api/notes', input)
      expect(status).toBe(201)
      return body
    },
  }
}
