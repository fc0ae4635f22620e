import { afterAll, expect, test } from 'bun:test'
import { onSqlite } from '../../support/full'
import { type As, MANY_CALLERS, makeWorld, stranger } from '../../support/world'
import { packageOf, type Source } from '../anki/build'

const DAY_MS = 86_400_000
const BASE = '/api/flashcards'
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const WAV = new Uint8Array(Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'))

const world = await makeWorld({ settings: { ...MANY_CALLERS } })
const url = world.listen().slice(0, -1)
afterAll(() => world.close())
let decks = 0

function send(as: As, method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}) {
  const key: Record<string, string> = as.key === undefined ? {} : { 'X-API-Key': as.key }
  return fetch(url + path, { method, headers: { ...key, ...headers }, ...(body === undefined ? {} : { body }) })
}
const post = async (as: As, path: string, body: object) =>
  (await send(as, 'POST', BASE + path, JSON.stringify(body), { 'Content-Type': 'application/json' })).json()

async function study(as: As, texts: object, media: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {}) {
  for (const [name, bytes] of Object.entries(media))
    await send(as, 'PUT', `${BASE}/media/${encodeURIComponent(name)}`, bytes)
  const deck = await post(as, '/decks', { name: `deck ${++decks}` })
  const fact = await post(as, '/facts', { deck_id: deck.id, type: 'basic', front: 'front', back: 'back', ...texts })
  return { deck, fact, card: `${BASE}/cards/${fact.cards[0].id}` }
}
const addressesOf = (html: string) => [...html.matchAll(/\/api\/flashcards\/media\/[\w-]{70}/g)].map(([one]) => one)

test('a card and the queue have the same HTML, and only when it is asked for', async () => {
  const me = stranger()
  const { card, deck } = await study(me, { front: '**front** \\(x^2\\)' })
  const plain = await (await send(me, 'GET', card)).json()
  expect(plain).not.toHaveProperty('prompt_html')
  const { prompt_html, answer_html, ...same } = await (await send(me, 'GET', `${card}?render=html`)).json()
  expect(same).toEqual(plain)
  expect(prompt_html).toContain('<strong>front</strong> <math><msup>')
  expect(answer_html).toContain('<hr class="id-answer" />back')
  const queue = await (await send(me, 'GET', `${BASE}/queue?render=html&deck_id=${deck.id}`)).json()
  expect(queue.items[0].card).toEqual({ ...plain, prompt_html, answer_html })
  expect((await send(me, 'GET', `${BASE}/queue?render=pdf`)).status).toBe(400)
})

test('media have addresses that anybody may read on two days, and nothing else is opened by them', async () => {
  world.clock.now = Date.parse('2026-03-05T23:00:00Z')
  const me = stranger()
  const media = { 'a b.png': PNG, 'beep.wav': WAV, 'page.png': new Uint8Array(Buffer.from('<html>')) }
  const back = '![x](media:a%20b.png) [s](media:beep.wav) ![p](media:page.png) ![g](media:gone.png)'
  const { card } = await study(me, { back }, media)
  const { answer_html } = await (await send(me, 'GET', `${card}?render=html`)).json()
  const [picture = '', sound = '', page = ''] = addressesOf(answer_html)
  expect(answer_html).toContain(`<img src="${picture}" alt="x" />`)
  expect(answer_html).toContain(`<audio controls preload="none" src="${sound}"></audio>`)
  expect(answer_html).toContain(`<a href="${page}">page.png</a>`)
  expect(answer_html).toContain('<span class="missing-media">gone.png</span>')
  expect(addressesOf(answer_html).length).toBe(3)

  const read = await send({}, 'GET', picture)
  expect([read.status, read.headers.get('Content-Type')]).toEqual([200, 'image/png'])
  expect(read.headers.get('Content-Security-Policy')).toBe("sandbox; default-src 'none'")
  expect(await read.bytes()).toEqual(PNG)
  expect((await send({}, 'GET', page)).headers.get('Content-Disposition')).toStartWith('attachment')
  const part = await send({}, 'GET', picture, undefined, { Range: 'bytes=1-3' })
  expect([part.status, await part.text()]).toEqual([206, 'PNG'])

  // No key: it reads nothing else, and writes nothing.
  for (const [method, path] of [
    ['GET', `${picture}/x`],
    ['GET', picture.replace('/flashcards/media/', '/notes/attachments/')],
    ['GET', `${picture.slice(0, -1)}${picture.endsWith('A') ? 'Q' : 'A'}`],
    ['GET', picture.replace(/media\/.{8}/, 'media/AAAAAAAA')],
  ] as const)
    expect([method, path, (await send({}, method, path)).status >= 400]).toEqual([method, path, true])

  // To write, it is but a name: of whoever writes.
  expect((await send({}, 'DELETE', picture)).status).toBe(404)
  const kept = await send({}, 'PUT', picture, 'x')
  expect([kept.status, await (await send({}, 'GET', picture)).bytes()]).toEqual([201, PNG])

  world.clock.now += DAY_MS
  expect((await send({}, 'GET', picture)).status).toBe(200)
  world.clock.now += DAY_MS
  expect((await send(stranger(), 'GET', picture)).status).toBe(404)
  expect((await send(me, 'GET', picture)).status).toBe(404)
})

test('the ETag changes with what is shown: a file that comes, and the day of the addresses', async () => {
  world.clock.now = Date.parse('2026-03-10T12:00:00Z')
  const me = stranger()
  const { card } = await study(me, { back: '![x](media:late.png)' })
  const first = await send(me, 'GET', `${card}?render=html`)
  const etag = first.headers.get('ETag') ?? ''
  const again = (tag: string) => send(me, 'GET', `${card}?render=html`, undefined, { 'If-None-Match': tag })
  expect((await again(etag)).status).toBe(304)
  await send(me, 'PUT', `${BASE}/media/late.png`, PNG)
  const shown = await again(etag)
  expect([shown.status, (await shown.json()).answer_html.includes('<img src="/api')]).toEqual([200, true])
  const now = shown.headers.get('ETag') ?? ''
  expect((await again(now)).status).toBe(304)
  // The condition of a write is the revision alone.
  const patched = await send(me, 'PATCH', card, '{"flag":1}', { 'Content-Type': 'application/json', 'If-Match': now })
  expect(patched.status).toBe(200)
  expect((await send(me, 'GET', card)).headers.get('ETag')).not.toContain('html')
})

const NOTES: Source = {
  decks: [{ id: 100, name: 'Words::Verbs' }],
  notetypes: [
    {
      ...{ id: 40, fields: ['Front', 'Back', 'Note'], css: '.card { color: green }' },
      templates: [
        ['{{Front}} {{#Note}}({{Note}}){{/Note}} {{Deck}} {{Tags}}', '{{FrontSide}}<hr id=answer>{{hint:Back}}'],
      ],
    },
  ],
  notes: [{ id: 1, mid: 40, fields: ['<b>go</b>', 'went', ''], tags: ' irregular ' }],
  cards: [{ id: 11, nid: 1, did: 100 }],
}

test('a note of Anki is filled in as its templates say, with its CSS for itself alone', async () => {
  const me = stranger()
  await send(me, 'POST', `${BASE}/import?format=apkg`, new Uint8Array(packageOf('latest', NOTES)))
  const { items } = await (await send(me, 'GET', `${BASE}/cards`)).json()
  const { prompt_html, answer_html } = await (await send(me, 'GET', `${BASE}/cards/${items[0].id}?render=html`)).json()
  expect(prompt_html).toContain('<b>go</b>  Words::Verbs irregular</div></div>')
  expect(answer_html).toContain(
    '<hr class="id-answer" /><details class="hint"><summary>Back</summary><div>went</div></details>',
  )
  expect(prompt_html).toMatch(/\.card:where\(\.card-\w+ \*\)\{color:green\}/)
})

test('a text that keeps the renderer busy is shown as it is, and others are served', async () => {
  const me = stranger()
  const hostile = `${'[a](b '.repeat(2500)}`
  const { card, fact } = await study(me, { back: hostile })
  const started = await send(me, 'GET', `${card}?render=html`)
  expect(started.status).toBe(200)
  expect((await started.json()).answer_html).toContain('[a](b')
  expect(fact.cards.length).toBe(1)
})

// On PostgreSQL others have all the turns that waiting for its answers gives.
onSqlite('others have their turns between large cards, also those that were rendered before', async () => {
  const me = stranger()
  const { deck } = await study(me, { back: 'b'.repeat(20_000) })
  for (let i = 0; i < 19; i++)
    await post(me, '/facts', { deck_id: deck.id, type: 'basic', front: `${i}`, back: 'b'.repeat(20_000) })
  const turnsOf = async (query: string) => {
    let [turns, isDone] = [0, false]
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const { body } = await world.call(me, 'GET', `${BASE}/queue?deck_id=${deck.id}&limit=20${query}`)
    isDone = true
    return { turns, cards: body.items.length }
  }
  await turnsOf('&render=html')
  const [plain, rendered] = [await turnsOf(''), await turnsOf('&render=html')]
  expect([plain.cards, rendered.cards]).toEqual([20, 20])
  // 400 KiB of HTML.
  expect(rendered.turns - plain.turns).toBeGreaterThanOrEqual(2)
})
