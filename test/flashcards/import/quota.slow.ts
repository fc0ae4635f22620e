import { afterAll, describe, expect, test } from 'bun:test'
import { contradictions } from '../../support/recount'
import { packageOf } from '../anki/build'
import type { Shown } from '../support'
import { counted, type File, likeness, makeTransferWorld, STUDIED_SOURCE } from '../transfer-support'

/** Imports of more than there is room for: what fits is stored, and of the rest each item is told. */

type World = Awaited<ReturnType<typeof makeTransferWorld>>
const worlds: World[] = []
afterAll(async () => {
  for (const world of worlds) {
    expect(await contradictions(world.folder)).toEqual([])
    await world.close()
  }
})

/** A world whose workspaces hold little. */
async function small(settings: Readonly<Record<string, string>>): Promise<World> {
  const world = await makeTransferWorld(settings)
  worlds.push(world)
  return world
}

/** The report of a file's import into a new workspace, which its dry run must have foreseen, and of a repeat. */
async function imported(world: World, query: string, file: File) {
  const me = world.stranger()
  const dry = (await world.send(me, `${query}&dry_run=true`, file)).body
  const { status, body } = await world.send(me, query, file)
  expect([status, body.state, body.error]).toEqual([200, 'done', null])
  expect(unnamed(body)).toEqual(unnamed(dry))
  const again = (await world.send(me, query, file)).body
  return { me, body, again }
}

/** What two reports have in common: an id that one run makes, its repeat and others do not. */
const unnamed = (report: Shown) =>
  likeness({ ...report, items: report.items.map((item: Shown) => ({ ...item, id: null })) })

const codes = ({ items }: Shown) =>
  items.flatMap(({ where, warnings }: Shown) => warnings.map(({ code }: Shown) => `${where} ${code}`))
const held = async (world: World, me: Parameters<World['all']>[0]) =>
  (await world.callAny(me, 'GET', '/api/usage')).body.workspace.resources

describe('a package of three decks, two media and three facts', () => {
  const file = packageOf('legacy2', STUDIED_SOURCE)

  test.each([
    ['0', { deck: { failed: 2 }, media: { failed: 2 }, fact: { failed: 3 } }],
    // The first deck stands in another: two are too much, and the other one fits.
    ['1', { deck: { created: 1, failed: 1 }, media: { failed: 2 }, fact: { failed: 3 } }],
    ['4', { deck: { created: 3 }, media: { created: 1, failed: 1 }, fact: { failed: 3 } }],
    ['6', { deck: { created: 3 }, media: { created: 2 }, fact: { created: 1, failed: 2 }, card: { created: 1 } }],
    ['8', { deck: { created: 3 }, media: { created: 2 }, fact: { created: 3 }, card: { created: 4 } }],
  ])('where %s fit', async (resources, expected) => {
    const world = await small({ WORKSPACE_RESOURCES: resources === '0' ? '1' : resources })
    const me = world.stranger()
    if (resources === '0') await world.callAny(me, 'POST', '/api/notes', { title: 'full' })
    const dry = (await world.send(me, 'format=apkg&dry_run=true', file)).body
    const { status, body } = await world.send(me, 'format=apkg', file)
    expect([status, likeness(body)]).toEqual([200, likeness(dry)])
    // Note types are no resources, and fit anyway.
    const { review: _, note_type: __, ...counts } = counted(body)
    expect(counts).toEqual(expected)
    expect(await held(world, me)).toBe(resources === '0' ? 1 : Number(resources))
    for (const { action, id, warnings } of body.items)
      if (action === 'failed') expect([id, warnings.at(-1).code]).toEqual([null, 'quota_exceeded'])
    const again = (await world.send(me, 'format=apkg', file)).body
    expect([again.totals.created, again.totals.failed]).toEqual([0, body.totals.failed])
  })
})

test('what is wrong, or stands twice, is told as ever, also where the rest does not fit', async () => {
  const world = await small({ WORKSPACE_RESOURCES: '3' })
  const { body, again } = await imported(
    world,
    'format=csv',
    'front,back,guid\na,1,x\nb,\na,2,x\nc,3,\nd,4,\na,5,x\n,6,\n',
  )
  expect(codes(body)).toEqual([
    'line 3 too_short',
    'line 4 repeated',
    'line 6 quota_exceeded',
    'line 7 repeated',
    'line 8 too_short',
  ])
  expect(counted(body).fact).toEqual({ created: 2, unchanged: 2, failed: 3 })
  expect(counted(again).fact).toEqual({ unchanged: 4, failed: 3 })
})

test('a medium that is too large for what is left fails, and smaller ones and facts come', async () => {
  const world = await small({ WORKSPACE_BYTES: String(1024 * 1024) })
  const media = { 'a.png': 'a'.repeat(700_000), 'b.png': 'b'.repeat(700_000), 'c.png': 'c'.repeat(1000) }
  const { body } = await imported(world, 'format=apkg', packageOf('legacy1', { ...STUDIED_SOURCE, media }))
  expect(codes(body)).toEqual(['media b.png quota_exceeded'])
  expect(counted(body)).toMatchObject({ media: { created: 2, failed: 1 }, fact: { created: 3 }, card: { created: 4 } })
})

test('without a key 200 resources fit, the deck among them', async () => {
  const world = await small({})
  const rows = Array.from({ length: 250 }, (_, i) => `front ${i},back`).join('\n')
  const dry = (await world.send({}, 'format=csv&dry_run=true', rows)).body
  const { status, body } = await world.send({}, 'format=csv', rows)
  expect([status, likeness(body)]).toEqual([200, likeness(dry)])
  expect(counted(body)).toEqual({ deck: { created: 1 }, fact: { created: 199, failed: 51 }, card: { created: 199 } })
  expect(codes(body)).toEqual(Array.from({ length: 51 }, (_, i) => `line ${200 + i} quota_exceeded`))
  expect((await (await fetch(`${world.base}/facts?limit=200`)).json()).items).toHaveLength(199)
})
