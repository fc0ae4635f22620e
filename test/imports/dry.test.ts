import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { tablesOf } from '../support/database'
import { type Kit, notes } from './kit'
import { kitsOfTest } from './kits'

const open = kitsOfTest()

const DRY = { path: '/api/lines/dry' }
/** Every row of the database but those of runs. */
async function everything({ db }: Kit) {
  const names = (await tablesOf(db)).filter((name) => name !== 'import_runs')
  return Promise.all(names.map(async (name) => [name, await db.all(`SELECT * FROM ${name}`)]))
}
interface Body {
  items: { id: string | null; action: string }[]
  [member: string]: unknown
}
const comparable = ({ id, dry_run, created_at, updated_at, ...report }: Body) => ({
  ...report,
  items: report.items.map((item) => (item.action === 'created' ? { ...item, id: null } : item)),
})

describe('a dry run', () => {
  test('tells what the real run tells, and changes nothing', async () => {
    const kit = await open()
    await kit.send(notes(30))
    await kit.send(notes(30), { workspace: 'b' })
    const lines = [
      ...notes(60, 10),
      { unreadable: 'No.' },
      { key: 'x', body: 'x', of: 'k12' },
      { key: 'y', body: 'y', boom: 'conflict' },
    ]
    const before = await everything(kit)
    const dry = await kit.send(lines, DRY)
    expect(await everything(kit)).toEqual(before)
    expect([dry.status, dry.body.dry_run, dry.body.state]).toEqual([200, true, 'done'])
    expect(dry.body.totals).toEqual({ created: 41, updated: 0, unchanged: 20, skipped: 0, failed: 2 })
    expect(
      dry.body.items.filter(({ action, id }: Body['items'][number]) => action === 'created' && id !== null),
    ).toEqual([])
    expect(readdirSync(kit.root)).toEqual([])
    const real = await kit.send(lines)
    expect(comparable(dry.body)).toEqual(comparable(real.body))
  })

  test('tells of what the real run would have no room for, at the same quota', async () => {
    const kit = await open({ quota: { resources: 50, size_bytes: 1e9 } })
    await kit.send(notes(30))
    const dry = await kit.send(notes(40, 20), DRY)
    expect(dry.body.totals).toMatchObject({ created: 20, unchanged: 10, failed: 10 })
    expect(dry.body.items.at(-1).warnings).toMatchObject([{ code: 'quota_exceeded' }])
    expect((await kit.send(notes(20, 30), DRY)).body.totals).toMatchObject({ created: 20, failed: 0 })
    expect(comparable((await kit.send(notes(40, 20))).body)).toEqual(comparable(dry.body))
  })

  test('of an address counts its spaces at all sites, and of an empty workspace works', async () => {
    const kit = await open({ quota: { resources: 50, size_bytes: 1e9 } })
    const at = (workspace: string, address: string) => ({ workspace, address })
    await kit.send(notes(40), at('s1', 'one'))
    expect((await kit.send(notes(20), { ...DRY, ...at('s2', 'one') })).body.totals).toMatchObject({
      created: 10,
      failed: 10,
    })
    expect((await kit.send(notes(20), { ...DRY, ...at('s3', 'two') })).body.totals.created).toBe(20)
  })

  test('of a scratch space whose request is forgotten takes none of the places that are kept', async () => {
    const kit = await open({ quota: { resources: 50, size_bytes: 1e9 } })
    const made: number[] = []
    for (let n = 0; n < 8; n++)
      made.push((await kit.send(notes(1), { workspace: `s${n}`, address: 'one' })).body.totals?.created)
    expect(made.filter((created) => created === 1)).toHaveLength(6)
  })

  test('locks nothing: others write while it takes its steps', async () => {
    let kit: Kit | null = null
    let written = 0
    const write = async () => {
      await kit?.db.run("INSERT INTO facts VALUES ('test', '1') ON CONFLICT (name) DO UPDATE SET value = '2'")
      written++
    }
    // Within a step of the copy, which holds its own writer: the database's is free.
    kit = await open({ atStep: write })
    expect((await kit.send(notes(50), DRY)).status).toBe(200)
    expect(written).toBeGreaterThan(1)
  })
})
