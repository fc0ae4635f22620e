import { expect } from 'bun:test'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'

export interface Caller {
  readonly key: string
}

export interface Item {
  readonly type: 'note' | 'task' | 'fact'
  readonly id: string
  readonly title: string
  readonly url: string
  readonly revision: number
  readonly updated_at: string
  readonly snippets: { readonly field: string; readonly text: string; readonly ranges: [number, number][] }[]
}

/** A world without limits, and callers that store and search in it. */
export async function makeFinders(settings: Record<string, string> = {}) {
  const world = await makeWorld({ settings: { ...MANY_CALLERS, ...settings } })
  const decks = new Map<string, string>()
  let keys = 0

  async function post(me: Caller, path: string, body: object): Promise<{ id: string }> {
    const answer = await world.call(me, 'POST', path, body)
    expect([path, answer.status, answer.body.detail]).toEqual([path, 201, undefined])
    return answer.body
  }

  async function deck(me: Caller): Promise<string> {
    const known = decks.get(me.key) ?? (await post(me, '/api/flashcards/decks', { name: 'Deck' })).id
    decks.set(me.key, known)
    return known
  }

  const ask = (me: Caller, q: string, more: Record<string, string> = {}) =>
    world.call(me, 'GET', `/api/search?${new URLSearchParams({ q, ...more })}`)

  async function items(me: Caller, q: string, more: Record<string, string> = {}): Promise<Item[]> {
    const { status, body } = await ask(me, q, { limit: '200', ...more })
    expect([q, status, body.detail]).toEqual([q, 200, undefined])
    return body.items
  }

  return {
    world,
    ask,
    items,
    deck,
    stranger: (): Caller => ({ key: makeKey(++keys) }),
    note: (me: Caller, body: object) => post(me, '/api/notes', body),
    task: (me: Caller, body: object) => post(me, '/api/tasks', body),
    fact: async (me: Caller, body: object) =>
      post(me, '/api/flashcards/facts', { deck_id: await deck(me), type: 'basic', ...body }),
    titles: async (me: Caller, q: string, more: Record<string, string> = {}) =>
      (await items(me, q, more)).map(({ title }) => title),
  }
}
