import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'
import { type ModelNote, modelLinks, recount } from './links-model'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)
const NOTES = 6
const idOf = (nth: number) => `01890000-0000-7000-8000-00000000000${nth}`

const title = fc.constantFrom('Trip', 'trip', 'Tour', 'A/Trip', 'Ärger', 'x #1')
const folder = fc.constantFrom(null, 'A', 'a', 'A/B', 'Long')
const properties = fc.constantFrom({ aliases: null }, { aliases: 'Tour' }, { aliases: ['Trip', 'X', 'A/Trip'] })
const target = fc.constantFrom(
  ...['Trip', ' TRIP', 'Tour', 'A/Trip', 'A/B/Tour', 'B/Tour', 'long/a\u0308rger', 'x', 'Gone', ''],
  ...[`note:${idOf(1)}`, `note:${idOf(4)}`],
)
const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('', '!'), target, fc.constantFrom('', '|as', '#h', '#h|as', '#^b', '|'))
      .map(([bang, name, rest]) => (name === '' && !rest.startsWith('#') ? 'plain' : `${bang}[[${name}${rest}]]`)),
  },
  { weight: 1, arbitrary: fc.constantFrom('`[[Trip]]`', '<!-- [[Tour]] -->', 'Trip', '\n\n', '\u{1f682}') },
  { weight: 1, arbitrary: fc.constantFrom('\n\n# h\n\n', 'p ^b\n\n') },
)
const body = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(' '))

const note = fc.nat(NOTES - 1)
const some = { requiredKeys: [] }
const data = {
  create: fc.record({ title, folder, properties: properties.map((p) => (p.aliases === null ? {} : p)), body }),
  change: fc.oneof(fc.record({ body }), fc.record({ title, folder, properties, body }, some)),
  rename: fc.record({ title, folder }, some),
}
const writing = (op: keyof typeof data) =>
  fc.record({ op: fc.constant(op), note, data: data[op] as fc.Arbitrary<object> })
const operation = fc.oneof(
  { weight: 4, arbitrary: writing('create') },
  { weight: 6, arbitrary: writing('change') },
  { weight: 3, arbitrary: writing('rename') },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constantFrom('trash' as const, 'restore' as const, 'erase' as const), note }),
  },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** One workspace, and all that can be asked of it. */
function makeSpace() {
  const as = stranger()
  const call = async (method: string, path: string, data?: unknown) => {
    const answer = await world.call(as, method, `/api/notes${path}`, data)
    expect(answer.status).toBeLessThan(500)
    return answer
  }
  const items = async (path: string) => (await call('GET', path)).body.items
  return {
    async run(operation: Operation) {
      const path = `/${idOf(operation.note)}`
      if (operation.op === 'create') await call('POST', '', { id: idOf(operation.note), ...operation.data })
      else if (operation.op === 'change') await call('PATCH', `${path}?update_links=false`, operation.data)
      else if (operation.op === 'rename') await call('PATCH', path, operation.data)
      else if (operation.op === 'restore') await call('POST', `${path}/restore`)
      else await call('DELETE', operation.op === 'erase' ? `${path}?permanent=true` : path)
    },
    notes: async (): Promise<ModelNote[]> => [
      ...(await items('?include=body')),
      ...(await items('?trashed=true&include=body')),
    ],
    etag: async (id: string) => (await call('GET', `/${id}`)).headers.get('etag'),
    links: (id: string) => items(`/${id}/links`),
    backlinks: (id: string) => items(`/${id}/backlinks`),
    unresolved: () => items('/unresolved'),
  }
}

async function expectAsCounted(space: ReturnType<typeof makeSpace>) {
  const notes = await space.notes()
  const { links, backlinks, counts, unresolved } = recount(notes)
  for (const { id, ...note } of notes) {
    expect(note).toMatchObject({ links: counts.get(id) })
    expect(await space.links(id)).toMatchObject((links.get(id) ?? []).map(({ wanted: _, ...link }) => link))
    const from = await space.backlinks(id)
    expect(from.map(({ note_id }: { note_id: string }) => note_id)).toEqual(backlinks.get(id))
    for (const { text, ranges } of from)
      for (const [start, end] of ranges) expect([...text].slice(start, end).join('')).toMatch(/^!?\[\[.*\]\]$/)
  }
  const wanted = (await space.unresolved()).map((item: { target: string; heading: string | null; count: number }) => [
    item.target.normalize('NFC').toLowerCase() + (item.heading === null ? '' : `#${item.heading}`),
    item.count,
  ])
  expect(new Map(wanted)).toEqual(unresolved)
}

test('after any history links, backlinks, counts and unresolved targets equal a recount from the bodies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 20 }), async (history) => {
      const space = makeSpace()
      for (const operation of history) await space.run(operation)
      await expectAsCounted(space)
    }),
    { numRuns: runs(40) },
  )
})

test('a rename keeps what every link to the note leads to, and every other byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 12 }), writing('rename'), async (history, last) => {
      const space = makeSpace()
      for (const operation of history) await space.run(operation)
      const before = await space.notes()
      await space.run(last)
      const after = new Map((await space.notes()).map((note) => [note.id, note]))
      const living = (notes: Iterable<ModelNote>) => [...notes].filter(({ deleted_at }) => deleted_at === null)
      for (const old of living(before)) {
        const now = after.get(old.id) ?? old
        const links = modelLinks(living(before), old)
        const linksNow = modelLinks(living(after.values()), now)
        expect(withoutTargets(now.body)).toBe(withoutTargets(old.body))
        links.forEach((link, i) => {
          if (link.note_id === idOf(last.note) && link.target !== '') expect(linksNow[i]?.note_id).toBe(link.note_id)
          else expect(linksNow[i]?.target).toBe(link.target)
        })
      }
      await expectAsCounted(space)
    }),
    { numRuns: runs(30) },
  )
})

/** The body less what a rename may write: targets outside of code and comments, and the alias that comes with an id. */
function withoutTargets(body: string): string {
  return body.replace(
    /(`[^`]*`|<!--.*?-->)|\[\[[^[\]|#]*((?:#[^[\]|]*)?)(?:\|[^[\]]*)?\]\]/g,
    (_, kept, rest) => kept ?? `[[${rest}]]`,
  )
}

test('an ETag changes whenever a count does, though the revision stays', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 6, maxLength: 15 }), async (history) => {
      const space = makeSpace()
      let seen = new Map<string, { shown: string; etag: string | null }>()
      for (const operation of history) {
        await space.run(operation)
        const now = new Map<string, { shown: string; etag: string | null }>()
        for (const note of await space.notes()) {
          const targets = (await space.links(note.id)).map(({ note_id }: { note_id: string | null }) => note_id)
          now.set(note.id, { shown: JSON.stringify([note, targets]), etag: await space.etag(note.id) })
        }
        for (const [id, { shown, etag }] of now) {
          const before = seen.get(id)
          if (before && operation.op !== 'create')
            expect([id, before.shown === shown]).toEqual([id, before.etag === etag])
        }
        seen = now
      }
    }),
    { numRuns: runs(25) },
  )
})
