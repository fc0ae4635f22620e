import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { createLocalPlaces } from '../../src/db/places'
import { contentOf, idOf, notes } from './kit'
import { kitsOfTest } from './kits'

const open = kitsOfTest()

describe('an import', () => {
  test('writes what its file says, and tells of each item', async () => {
    const kit = await open()
    const lines = [
      ...notes(3),
      { unreadable: 'No.' },
      { key: 'k3', body: 'x', of: 'k0' },
      ...notes(4, 4),
      { key: 'k0', body: 'again' },
    ]
    const { status, body } = await kit.send(lines)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      kind: 'lines',
      format: 'lines',
      dry_run: false,
      state: 'done',
      done: 10,
      total: 10,
      error: null,
    })
    expect(body.totals).toEqual({ created: 8, updated: 0, unchanged: 1, skipped: 0, failed: 1 })
    expect(body.resources.note).toEqual(body.totals)
    expect(body.resources.word.created).toBe(15)
    expect(body.warnings).toEqual([{ code: 'of_test', detail: 'A file of a test.' }])
    expect(
      body.items.map(({ where, action, warnings }: never) => [
        where,
        action,
        (warnings as { code: string }[])[0]?.code,
      ]),
    ).toEqual([
      ['line 1', 'created', undefined],
      ['line 2', 'created', undefined],
      ['line 3', 'created', undefined],
      ['line 4', 'failed', 'unreadable'],
      ['line 5', 'created', 'found'],
      ...[6, 7, 8, 9].map((line) => [`line ${line}`, 'created', undefined]),
      ['line 10', 'unchanged', 'duplicate'],
    ])
    expect(body.items_total).toBe(10)
    expect((await contentOf(kit.db)).rows).toHaveLength(8)
    expect(readdirSync(kit.root)).toEqual([])
  })

  describe('into a workspace without room', () => {
    const refused = (count: number, first = 0) =>
      notes(count, first).map((line) => ({ ...line, boom: 'quota_exceeded' }))

    test('ends when 1,000 items in a row had none, and keeps what came before', async () => {
      const kit = await open()
      const { status, body } = await kit.send([...notes(2), ...refused(1500, 2)])
      expect([status, body.code]).toEqual([429, 'quota_exceeded'])
      expect((await contentOf(kit.db)).rows).toHaveLength(2)
    })

    test.each([
      ['999 in a row', [...refused(999), ...notes(1, 999)], { created: 1, failed: 999 }],
      [
        'an item that fits among 1,200',
        [...refused(600), ...notes(1, 600), ...refused(600, 601)],
        { created: 1, failed: 1200 },
      ],
      [
        'another failure among 1,200',
        [...refused(600), { unreadable: 'No.' }, { key: 'x', body: 'x', boom: 'conflict' }, ...refused(600, 602)],
        { created: 0, failed: 1202 },
      ],
    ])('%s do not end it', async (_, lines, totals) => {
      const kit = await open()
      const { status, body } = await kit.send(lines)
      expect([status, body.state]).toEqual([200, 'done'])
      expect(body.totals).toMatchObject(totals)
    })
  })

  test('goes on behind an item that throws, which is a failed line', async () => {
    const CODES = ['conflict', 'quota_exceeded'] as const
    const kit = await open()
    const lines = notes(40).map((line, i) =>
      i === 20 ? { ...line, boom: 'error' } : i >= 30 && i < 32 ? { ...line, boom: CODES[i - 30] } : line,
    )
    const { body } = await kit.send(lines)
    expect(body.totals).toEqual({ created: 37, updated: 0, unchanged: 0, skipped: 0, failed: 3 })
    expect(body.items[20]).toMatchObject({ action: 'failed', id: null, warnings: [{ code: 'internal' }] })
    for (const [i, code] of CODES.entries())
      expect(body.items[30 + i].warnings).toEqual([{ code, detail: `refused: ${code}` }])
    expect(kit.logged).toHaveLength(1)
    expect((await contentOf(kit.db)).rows).toHaveLength(37)
  })

  test('ends where the disk is full: what was done stays, and the report tells it', async () => {
    const code = 'storage_full'
    const kit = await open()
    const { status, body, headers } = await kit.send(
      notes(40).map((line, i) => (i === 30 ? { ...line, boom: code } : line)),
    )
    expect([status, body.code]).toEqual([507, code])
    const report = await kit.call('GET', headers.get('location') ?? '')
    expect(report.body).toMatchObject({ id: body.import_id, state: 'failed', error: { code } })
    expect(report.body.totals.created).toBe((await contentOf(kit.db)).rows.length)
    expect(report.body.totals.created).toBeGreaterThan(0)
    expect(kit.logged).toEqual([])
  })

  test('of a file that is refused, or whose reader breaks, changes nothing', async () => {
    const kit = await open({ limits: { key: 1e6, scratch: 1e6, items: 50 } })
    const refused = await kit.send([...notes(10), { refused: 'Not this one.' }])
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([400, 'archive_refused', 'Not this one.'])
    const many = await kit.send(notes(51))
    expect([many.status, many.body.code]).toEqual([413, 'too_large'])
    expect(kit.logged).toEqual([])
    const broken = await kit.send([...notes(10), { broken: true }])
    expect([broken.status, broken.body.code]).toEqual([500, 'internal'])
    expect(kit.logged.length).toBeGreaterThan(0)
    expect((await contentOf(kit.db)).rows).toEqual([])
  })

  test('takes steps that become as large as fits, and others write between them', async () => {
    const sizes: number[] = []
    let at = 0
    const kit = await open({
      ticks: () => at,
      atStep: (items) => {
        sizes.push(items)
        // So long an item takes: 0.5 ms; from the hundredth on 4 ms.
        at += items * (sizes.reduce((sum, size) => sum + size, 0) > 100 ? 4 : 0.5)
      },
    })
    expect((await kit.send(notes(300))).body.totals.created).toBe(300)
    expect(sizes.slice(0, 4)).toEqual([8, 16, 20, 20])
    // One slow group, then what fits into 10 ms.
    expect(sizes.slice(-5)).toEqual([2, 2, 2, 2, 2])
  })

  test('of two at once of one file makes what one makes', async () => {
    const kit = await open()
    const [one, other] = await Promise.all([kit.send(notes(200)), kit.send(notes(200))])
    expect([one.body.totals.created, other.body.totals.created].sort()).toEqual([0, 200])
    expect((await contentOf(kit.db)).rows).toHaveLength(200)
  })

  test('is answered at once with Prefer: respond-async, and found by its address', async () => {
    const kit = await open()
    const told = kit.news('a')
    const began = performance.now()
    const { status, headers, body } = await kit.send(notes(500), { headers: { Prefer: 'respond-async' } })
    expect([status, headers.get('location'), body.items]).toEqual([202, `/api/imports/${body.id}`, []])
    let report = body
    while (report.state !== 'done') report = (await kit.call('GET', `/api/imports/${body.id}`)).body
    expect(report.items).toHaveLength(50)
    const next = await kit.call('GET', `/api/imports/${body.id}?limit=200&cursor=${report.next_cursor}`)
    expect(next.body.items[0].where).toBe('line 51')
    const { items, next_cursor, ...summary } = report
    expect((await kit.call('GET', '/api/imports')).body).toEqual({ items: [summary], next_cursor: null })
    expect(told.at(-1)?.data).toEqual({ id: body.id, state: 'done', done: 500, total: 500 })
    // It is told twice a second, and when its state changes.
    expect(told.length).toBeLessThan(10 + (performance.now() - began) / 500)
  })

  test('tells those items alone that came to what is asked for, page by page', async () => {
    const kit = await open()
    const { body } = await kit.send(notes(30).map((note, i) => (i % 3 === 0 ? { unreadable: 'No.' } : note)))
    const ask = (query: string) => kit.call('GET', `/api/imports/${body.id}${query}`)
    const failed: string[] = []
    let cursor = ''
    for (let page = 0; page < 3; page++) {
      const { body: report } = await ask(`?action=failed&limit=4${cursor && `&cursor=${cursor}`}`)
      for (const { where, action } of report.items) failed.push(`${action} ${where}`)
      cursor = report.next_cursor
    }
    expect(failed).toEqual(Array.from({ length: 10 }, (_, i) => `failed line ${3 * i + 1}`))
    expect(cursor).toBeNull()
    expect((await ask('?action=created&limit=200')).body.items).toHaveLength(20)
    expect((await ask('?action=skipped')).body).toMatchObject({ items: [], next_cursor: null })
    expect((await ask('?action=lost')).body.code).toBe('invalid_request')
    // A cursor is good for what it was made for, and nothing else.
    const { next_cursor } = (await ask('?action=failed&limit=4')).body
    const { body: other } = await kit.send(notes(9))
    const elsewhere = [`${body.id}?cursor=`, `${body.id}?action=created&cursor=`, `${other.id}?action=failed&cursor=`]
    for (const path of elsewhere)
      expect((await kit.call('GET', `/api/imports/${path}${next_cursor}`)).body.code).toBe('invalid_cursor')
  })

  test('leaves the disk with the workspace that is erased', async () => {
    const kit = await open()
    const [{ body: mine }, { body: other }] = [await kit.send(notes(2)), await kit.send(notes(2), { workspace: 'b' })]
    for (const { id } of [mine, other]) mkdirSync(`${kit.root}/${id}`)
    await kit.db.transaction((tx) => kit.imports.wipe(tx, idOf('a'), 10))
    await kit.imports.tidy()
    expect(readdirSync(kit.root)).toEqual([other.id])
  })

  test('stops when its owner says so: what is done stays, and is told', async () => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: freed, resolve: free } = Promise.withResolvers<void>()
    let steps = 0
    const kit = await open({
      atStep: async () => {
        if (++steps !== 3) return
        reach()
        await freed
      },
    })
    const { body } = await kit.send(notes(5000), { headers: { Prefer: 'respond-async' } })
    await reached
    // Under way, it is nobody else's either.
    for (const method of ['GET', 'DELETE'])
      expect((await kit.call(method, `/api/imports/${body.id}`, { workspace: 'b' })).status).toBe(404)
    const stopping = kit.call('DELETE', `/api/imports/${body.id}`)
    free()
    const { status, body: report } = await stopping
    expect([status, report.state]).toEqual([200, 'cancelled'])
    const { rows } = await contentOf(kit.db)
    expect(report.totals.created).toBe(rows.length)
    expect(rows.length).toBeLessThan(5000)
    expect(rows.length).toBeGreaterThan(0)
    // It is at its end: another word changes nothing.
    expect((await kit.call('DELETE', `/api/imports/${body.id}`)).body).toEqual(report)
  })

  test('that reads without an end is stopped as well', async () => {
    const kit = await open()
    const { body } = await kit.send([{ endless: true }], { headers: { Prefer: 'respond-async' } })
    expect((await kit.call('DELETE', `/api/imports/${body.id}`)).body.state).toBe('cancelled')
    expect((await kit.send(notes(1))).status).toBe(200)
  })

  test('of a workspace that is erased meanwhile ends, with nothing written after that', async () => {
    const { promise: freed, resolve: free } = Promise.withResolvers<void>()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    let wiped = 0
    const kit = await open({
      atStep: async () => {
        reach()
        await freed
      },
    })
    const { body } = await kit.send(notes(500), { headers: { Prefer: 'respond-async' } })
    await reached
    const erased = kit.db.transaction(async (tx) => {
      await kit.imports.wipe(tx, idOf('a'), 10)
      wiped = (await tx.all('SELECT 1 FROM notes')).length
    })
    free()
    await erased
    await kit.imports.stop()
    expect(await kit.db.all('SELECT * FROM import_runs')).toEqual([])
    expect((await contentOf(kit.db)).rows).toHaveLength(wiped)
    expect(existsSync(`${kit.root}/${body.id}`)).toBe(false)
  })

  test('that waits here while it is under way elsewhere is shown as it is there', async () => {
    const places = createLocalPlaces()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: freed, resolve: free } = Promise.withResolvers<void>()
    const atStep = () => {
      reach()
      return freed
    }
    const one = await open({ places, atStep })
    // Before the run: on PostgreSQL opening waits until no transaction is under way.
    const two = await open({ folder: one.folder, places })
    const { body } = await one.send(notes(3), { headers: { Prefer: 'respond-async' } })
    await reached
    await two.imports.resume()
    expect(two.imports.isBusy()).toBe(true)
    expect((await two.call('GET', `/api/imports/${body.id}`)).body.state).toBe('running')
    expect((await two.call('GET', '/api/imports')).body.items[0].state).toBe('running')
    await two.imports.stop()
    free()
  })

  test('keeps the reports of the newest five, and tidies up the rest', async () => {
    const kit = await open()
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.push((await kit.send(notes(1, i))).body.id)
    for (const id of ids) mkdirSync(`${kit.root}/${id}`)
    await kit.imports.tidy()
    expect((await kit.call('GET', '/api/imports')).body.items.map(({ id }: { id: string }) => id)).toEqual(
      ids.slice(2).reverse(),
    )
    expect(readdirSync(kit.root).sort()).toEqual(ids.slice(2).sort())
  })
})
