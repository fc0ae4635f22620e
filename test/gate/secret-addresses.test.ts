/** Requests with a secret address (a calendar feed, a signed attachment or medium) at the ceiling of the reader's network. */
import { expect, test } from 'bun:test'
import { type As, makeKey, makeWorld } from '../support/world'

type World = Awaited<ReturnType<typeof makeWorld>>

const ADDRESS = /\/api\/(?:notes\/attachments|flashcards\/media)\/[\w-]{70}/

/** How an owner makes each kind of address. It takes at most four requests. */
const KINDS: Readonly<Record<string, (w: World, owner: As) => Promise<string>>> = {
  feed: async (w, owner) => (await w.call(owner, 'POST', '/api/tasks/feeds', { name: 'a' })).body.url,
  attachment: async (w, owner) => {
    await w.call(owner, 'POST', '/api/notes/attachments?name=x.png', 'bytes', { 'Content-Type': 'image/png' })
    const note = await w.call(owner, 'POST', '/api/notes', { title: 'T', body: '![[x.png]]' })
    const html = await w.call(owner, 'GET', `/api/notes/${note.body.id}`, undefined, { Accept: 'text/html' })
    return ADDRESS.exec(String(html.body))?.[0] ?? ''
  },
  medium: async (w, owner) => {
    await w.call(owner, 'PUT', '/api/flashcards/media/x.png', 'bytes', { 'Content-Type': 'image/png' })
    const deck = await w.call(owner, 'POST', '/api/flashcards/decks', { name: 'd' })
    const fact = { deck_id: deck.body.id, type: 'basic', front: 'f', back: '![x](media:x.png)' }
    const { cards } = (await w.call(owner, 'POST', '/api/flashcards/facts', fact)).body
    const card = await w.call(owner, 'GET', `/api/flashcards/cards/${cards[0].id}?render=html`)
    return ADDRESS.exec(card.body.answer_html)?.[0] ?? ''
  },
}
const kinds = Object.keys(KINDS)
const make = (w: World, kind: string, owner: As) => KINDS[kind]?.(w, owner) ?? Promise.resolve('')

const OWNER = { key: makeKey(1), address: '198.51.100.1' }
const READER = { address: '203.0.113.9' }

test.each(kinds)('a read of a %s owned by a key is charged to the network it comes from', async (kind) => {
  await using w = await makeWorld({ settings: { NETWORK_CEILING_PER_HOUR: '6' } })
  const path = await make(w, kind, OWNER)
  for (let i = 0; i < 5; i++) expect(await w.call(READER, i % 2 ? 'HEAD' : 'GET', path)).toMatchObject({ status: 200 })
  // The ceiling is that of the network's keys: each pays for the other.
  expect((await w.call({ ...READER, key: makeKey(2) }, 'GET', '/api')).status).toBe(200)
  const refused = await w.call(READER, 'GET', path)
  expect([refused.status, refused.body.violated_policies]).toEqual([429, ['network']])
  expect((await w.call({ ...READER, key: makeKey(2) }, 'GET', '/api')).body.violated_policies).toEqual(['network'])
  // Not the owner's network, nor the reader's requests without a key, nor what the owner has left.
  expect((await w.call(READER, 'GET', '/api')).status).toBe(200)
  expect((await w.call({ address: '203.0.113.10' }, 'GET', path)).status).toBe(200)
  expect((await w.call(OWNER, 'GET', '/api')).status).toBe(200)
})

test.each(kinds)('a read of a %s owned by a scratch space is not', async (kind) => {
  await using w = await makeWorld({ settings: { NETWORK_CEILING_PER_HOUR: '1' } })
  const path = await make(w, kind, { address: OWNER.address })
  for (let i = 0; i < 5; i++) expect((await w.call(READER, 'GET', path)).status).toBe(200)
  expect((await w.call({ ...READER, key: makeKey(2) }, 'GET', '/api')).status).toBe(200)
})

test.each(kinds)('a read of a %s on this machine, or where the ceiling is off, has no ceiling', async (kind) => {
  for (const [ceiling, address] of [
    ['1', '127.0.0.1'],
    ['0', READER.address],
  ] as const) {
    await using w = await makeWorld({ settings: { NETWORK_CEILING_PER_HOUR: ceiling } })
    const path = await make(w, kind, { key: OWNER.key, address })
    for (let i = 0; i < 5; i++) expect((await w.call({ address }, 'GET', path)).status).toBe(200)
  }
})

test('a key beside a secret address is not looked at, and one beside a wrong address pays for its first use', async () => {
  await using w = await makeWorld({ settings: { NEW_KEYS_PER_DAY: '1' } })
  const weak = { key: 'Password123', address: '198.51.100.2' }
  expect((await w.call(weak, 'POST', '/api/notes', { title: 'of its owner' })).status).toBe(201)
  const guess = { ...READER, key: weak.key }
  for (const kind of kinds) {
    const path = await make(w, kind, OWNER)
    expect((await w.call({ ...READER, key: 'Password124' }, 'GET', path)).status).toBe(200)
    expect((await w.call(guess, 'GET', path)).status).toBe(200)
  }
  // Nothing was paid for until now. This uses up the first uses of the day.
  expect((await w.call({ ...READER, key: 'my-own-key' }, 'GET', '/api')).status).toBe(200)
  for (const path of [`/api/tasks/feeds/${'A'.repeat(43)}.ics`, `/api/notes/attachments/${'A'.repeat(70)}`])
    expect((await w.call(guess, 'GET', path)).body.code).toBe('too_many_new_keys')
})
