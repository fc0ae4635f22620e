import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { listeningWorld, type Visitor } from '../support/visitor'
import { MANY_CALLERS } from '../support/world'
import { addNote, ask, noteUri, send } from './messages'

const world = await listeningWorld({ ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '10000' })
afterAll(() => world.close())

const { newcomer } = world

const read = (me: Visitor, uri: string, era: 'modern' | 'legacy' = 'modern') =>
  ask(me, 'resources/read', { uri }, { era })
const TODAY = '2026-03-02'

describe('the list', () => {
  test('begins with the agenda and the note of today, then has every note once, newest first', async () => {
    const me = newcomer()
    const ids: string[] = []
    for (let i = 0; i < 103; i++) ids.unshift((await addNote(me, { title: `Note ${i}`, body: 'ä'.repeat(i) })).id)
    await send(me, 'PUT', `/api/notes/daily/${TODAY}`, { body: 'Of today' })
    const pages: { uri: string; size?: number }[][] = []
    for (let cursor: string | undefined, i = 0; i < 5; i++) {
      const { result } = await ask(me, 'resources/list', cursor === undefined ? {} : { cursor })
      pages.push(result.resources)
      cursor = result.nextCursor
      if (cursor === undefined) break
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 6])
    const [agenda, today, daily, ...notes] = pages.flat()
    expect([agenda?.uri, today?.uri]).toEqual(['satchel://agenda/today', `satchel://daily/${TODAY}`])
    expect(today?.size).toBe('Of today'.length)
    expect(daily?.uri).toStartWith('satchel://note/')
    expect(notes.map(({ uri }) => uri)).toEqual(ids.map(noteUri))
    expect(notes.map(({ size }) => size)).toEqual(ids.map((_, i) => 2 * (102 - i)))
  })

  test('of an empty workspace is the agenda, and of a day without a note has none', async () => {
    const { result } = await ask(newcomer(), 'resources/list')
    expect(result.resources.map(({ uri }: { uri: string }) => uri)).toEqual(['satchel://agenda/today'])
    expect(result).not.toHaveProperty('nextCursor')
  })

  test('says for whom and how long it may be kept, which older revisions do not know', async () => {
    const me = newcomer()
    const cacheOf = async (method: string, params = {}) => {
      const { result } = await ask(me, method, params)
      return [result.ttlMs, result.cacheScope]
    }
    expect(await cacheOf('resources/list')).toEqual([60_000, 'private'])
    expect(await cacheOf('resources/read', { uri: 'satchel://agenda/today' })).toEqual([0, 'private'])
    expect(await cacheOf('resources/templates/list')).toEqual([86_400_000, 'public'])
    for (const method of ['resources/list', 'resources/templates/list'])
      expect((await ask(me, method, {}, { era: 'legacy' })).result).not.toHaveProperty('ttlMs')
  })

  test('has no archived notes and none of the trash', async () => {
    const me = newcomer()
    await addNote(me, { title: 'Put away', archived_at: '2026-03-01T00:00:00.000Z' })
    const { id } = await addNote(me, { title: 'Thrown away' })
    await send(me, 'DELETE', `/api/notes/${id}`)
    expect((await ask(me, 'resources/list')).result.resources).toHaveLength(1)
  })

  test('refuses cursors that are not its own', async () => {
    const me = newcomer()
    for (let i = 0; i < 3; i++) await addNote(me, { title: `Note ${i}` })
    const byTitle = await send(me, 'GET', '/api/notes?sort=title&limit=1')
    for (const cursor of ['', 'x', '-1', byTitle.next_cursor, 'W10', '\u{1f600}']) {
      const { error } = await ask(me, 'resources/list', { cursor })
      expect([cursor, error?.code, error?.data]).toEqual([cursor, -32602, { code: 'invalid_cursor' }])
    }
    for (const limit of ['1', '2']) {
      const { next_cursor } = await send(me, 'GET', `/api/notes?limit=${limit}`)
      expect((await ask(me, 'resources/list', { cursor: next_cursor })).result.resources).toHaveLength(
        3 - Number(limit),
      )
    }
  })
})

describe('a note', () => {
  test('is read by its id or its title as a whole, and is marked as data', async () => {
    const me = newcomer()
    const body = `# Long\r\n${'0123456789abcde\n'.repeat(65_000)}\u{1f600}`
    const { id } = await addNote(me, { title: 'Straße / 100 % & "more"? #1', body })
    for (const uri of [noteUri(id), noteUri('Straße / 100 % & "more"? #1'), noteUri('STRASSE  / 100 % & "MORE"? #1')]) {
      const { result } = await read(me, uri)
      const [contents, ...others] = result.contents
      expect(others).toEqual([])
      expect(contents.text === body).toBe(true)
      expect(contents).toMatchObject({ uri, mimeType: 'text/markdown' })
      expect(contents._meta).toMatchObject({ 'satchel/untrusted': true, 'satchel/id': id, 'satchel/revision': 1 })
    }
  })

  test('with any title is read by it', async () => {
    const me = newcomer()
    const titles = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .map((text) => text.replace(/[\p{C}\s]/gu, '_'))
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(titles, { minLength: 1, maxLength: 3 }), async ([title = 'x']) => {
        const note = await addNote(me, { title, body: title })
        const { result } = await read(me, noteUri(title))
        expect(result.contents[0]).toMatchObject({ text: title, _meta: { 'satchel/id': note.id } })
        await send(me, 'DELETE', `/api/notes/${note.id}`)
      }),
      { numRuns: runs(50) },
    )
  })

  test('that is archived is read, and one whose title looks like an id', async () => {
    const me = newcomer()
    await addNote(me, { title: 'Put away', body: 'kept', archived_at: '2026-03-01T00:00:00.000Z' })
    expect((await read(me, noteUri('put away'))).result.contents[0].text).toBe('kept')
    const like = '01900000-0000-7000-8000-00000000ffff'
    await addNote(me, { title: like, body: 'by title' })
    expect((await read(me, noteUri(like))).result.contents[0].text).toBe('by title')
  })

  test('is not found if it never was, is in the trash or belongs to somebody else', async () => {
    const [me, other] = [newcomer(), newcomer()]
    const trashed = await addNote(me, { title: 'Thrown away' })
    await send(me, 'DELETE', `/api/notes/${trashed.id}`)
    const foreign = await addNote(other, { title: 'Foreign' })
    const names = [trashed.id, 'Thrown away', foreign.id, 'Foreign', 'never', '01900000-0000-7000-8000-00000000fffe']
    for (const uri of names.map(noteUri)) {
      const error = { message: `Resource not found: ${uri}`, data: { uri } }
      expect((await read(me, uri)).error).toEqual({ code: -32602, ...error })
      expect((await read(me, uri, 'legacy')).error).toEqual({ code: -32002, ...error })
    }
    expect((await read(other, noteUri('Foreign'))).result.contents).toHaveLength(1)
  })

  test('is named by its id where several have the title', async () => {
    const me = newcomer()
    const [one, two] = [await addNote(me, { title: 'Twin' }), await addNote(me, { title: 'twin' })]
    for (const era of ['modern', 'legacy'] as const) {
      const { error } = await read(me, noteUri('Twin'), era)
      expect([error.code, error.data.code, error.data.ids.toSorted()]).toEqual([-32602, 'conflict', [one.id, two.id]])
    }
    expect((await read(me, noteUri(one.id))).result.contents).toHaveLength(1)
    await send(me, 'DELETE', `/api/notes/${two.id}`)
    expect((await read(me, noteUri('Twin'))).result.contents).toHaveLength(1)
    for (let n = 0; n < 6; n++) await addNote(me, { title: 'Many' })
    expect((await read(me, noteUri('Many'))).error.data.ids).toHaveLength(5)
  })

  test('is not there at URIs of other forms', async () => {
    const me = newcomer()
    await addNote(me, { title: 'x' })
    const wrong = [
      'satchel://note/',
      'satchel://note/%',
      'satchel://note/%ff',
      'satchel://note/%00',
      'satchel://note/%20',
    ]
    const others = ['satchel://tasks/x', 'satchel:note/x', 'file:///etc/passwd', 'https://x.example/note/x', '', 'x']
    for (const uri of [...wrong, ...others, 'SATCHEL://note/x', `satchel://note/${'x'.repeat(9000)}`])
      expect([uri, (await read(me, uri)).error?.code]).toEqual([uri, -32602])
  })
})

describe('a daily note', () => {
  test('is read by its day, and reading creates none', async () => {
    const me = newcomer()
    await send(me, 'PUT', `/api/notes/daily/${TODAY}`, { body: 'Of today' })
    expect((await read(me, `satchel://daily/${TODAY}`)).result.contents[0].text).toBe('Of today')
    const before = await send(me, 'GET', '/api/changes')
    for (const date of ['2026-03-03', '2026-02-30', 'today', '2026-3-2', '', '20260302', '2026-03-02T00:00'])
      expect([date, (await read(me, `satchel://daily/${date}`)).error?.code]).toEqual([date, -32602])
    await ask(me, 'resources/list')
    expect(await send(me, 'GET', '/api/changes')).toEqual(before)
  })

  test('in the trash is not found', async () => {
    const me = newcomer()
    const { id } = await send(me, 'PUT', '/api/notes/daily/2026-03-01', { body: 'x' })
    await send(me, 'DELETE', `/api/notes/${id}`)
    expect((await read(me, 'satchel://daily/2026-03-01')).error.data).toEqual({ uri: 'satchel://daily/2026-03-01' })
  })
})

test('the agenda shows what is overdue and what is due today in the zone of the workspace', async () => {
  const me = newcomer()
  const due = (date: string, time: string | null = null) => ({ date, time, time_zone: null })
  const late = await send(me, 'POST', '/api/tasks', { title: 'Late', due: due('2026-02-27', '09:00') })
  const today = await send(me, 'POST', '/api/tasks', { title: 'Of today', due: due(TODAY) })
  const next = await send(me, 'POST', '/api/tasks', { title: 'Of tomorrow', due: due('2026-03-03', '07:30') })
  const text = async () => (await read(me, 'satchel://agenda/today')).result.contents[0].text
  expect(await text()).toBe(
    `# Agenda of Monday, ${TODAY}\n\nTime zone: UTC\n\n## Overdue\n\n- Late (due 2026-02-27 09:00; task ${late.id})\n\n` +
      `## Monday, ${TODAY}\n\n- Of today (due; task ${today.id})\n`,
  )
  // There it is Tuesday already.
  await send(me, 'PATCH', '/api/workspace/settings', { time_zone: 'Pacific/Kiritimati' })
  expect(await text()).toContain(`## Tuesday, 2026-03-03\n\n- 07:30 Of tomorrow (due; task ${next.id})\n`)
  expect((await read(newcomer(), 'satchel://agenda/today')).result.contents[0].text).toEndWith('Nothing.\n')
})

describe('completion', () => {
  const complete = async (me: Visitor, ref: object, name: string, value: string) => {
    const { result, error } = await ask(me, 'completion/complete', { ref, argument: { name, value } })
    return error ? error.code : result.completion
  }
  const [note, daily] = ['satchel://note/{id}', 'satchel://daily/{date}'].map((uri) => ({ type: 'ref/resource', uri }))
  const byTitle = (me: Visitor, value: string) => complete(me, note as object, 'id', value)

  test('of titles begins with those that begin with the text', async () => {
    const me = newcomer()
    for (const title of ['My plan', 'Plan B', 'Other', 'plan a', 'Plan B', '100 % plan', 'Über den Plan'])
      await addNote(me, { title })
    expect(await byTitle(me, 'PLAN')).toEqual({
      values: ['plan a', 'Plan B', 'Über den Plan', '100 % plan', 'My plan'],
      hasMore: false,
    })
    expect(await byTitle(me, '% p')).toEqual({ values: ['100 % plan'], hasMore: false })
    expect(await byTitle(me, 'über')).toEqual({ values: ['Über den Plan'], hasMore: false })
    expect((await byTitle(me, '')).values).toHaveLength(6)
    for (const nothing of ['zzz', '_', '*', '.'])
      expect(await byTitle(me, nothing)).toEqual({ values: [], hasMore: false })
    expect(await byTitle(newcomer(), 'plan')).toEqual({ values: [], hasMore: false })
  })

  test('has at most 100 values, and says when there are more', async () => {
    const me = newcomer()
    for (let i = 0; i < 100; i++) await addNote(me, { title: `Plan ${String(i).padStart(3, '0')}` })
    expect(await byTitle(me, 'plan')).toMatchObject({ hasMore: false })
    await addNote(me, { title: 'A plan' })
    const { values, hasMore } = await byTitle(me, 'plan')
    expect([values.length, values[0], values[99], hasMore]).toEqual([100, 'Plan 000', 'Plan 099', true])
  })

  test('leaves the trash out', async () => {
    const me = newcomer()
    const { id } = await addNote(me, { title: 'Plan' })
    await send(me, 'DELETE', `/api/notes/${id}`)
    expect(await byTitle(me, 'plan')).toEqual({ values: [], hasMore: false })
  })

  test('of dates has the days with notes, newest first', async () => {
    const me = newcomer()
    for (const date of ['2026-02-28', '2026-03-01', '2025-03-01'])
      await send(me, 'PUT', `/api/notes/daily/${date}`, { body: date })
    const byDate = (value: string) => complete(me, daily as object, 'date', value)
    expect(await byDate('2026')).toEqual({ values: ['2026-03-01', '2026-02-28'], hasMore: false })
    expect(await byDate('')).toEqual({ values: ['2026-03-01', '2026-02-28', '2025-03-01'], hasMore: false })
    expect(await byDate('2026-04')).toEqual({ values: [], hasMore: false })
  })

  test('of what there is not is refused', async () => {
    const me = newcomer()
    expect(await complete(me, { type: 'ref/resource', uri: 'satchel://other/{id}' }, 'id', 'x')).toBe(-32602)
    expect(await complete(me, note as object, 'date', 'x')).toBe(-32602)
    expect(await complete(me, { type: 'ref/prompt', name: 'nothing' }, 'note', 'x')).toBe(-32602)
    expect(await complete(me, { type: 'ref/prompt', name: 'plan_my_week' }, 'note', 'x')).toBe(-32602)
  })

  test('of prompts has titles and decks', async () => {
    const me = newcomer()
    await addNote(me, { title: 'Rivers' })
    for (const name of ['Geography', 'My rivers', 'Rivers']) await send(me, 'POST', '/api/flashcards/decks', { name })
    const of = (argument: string, value: string) =>
      complete(me, { type: 'ref/prompt', name: 'make_cards_from_note' }, argument, value)
    expect(await of('note', 'riv')).toEqual({ values: ['Rivers'], hasMore: false })
    expect(await of('deck', 'RIV')).toEqual({ values: ['Rivers', 'My rivers'], hasMore: false })
    expect(await complete(me, { type: 'ref/prompt', name: 'plan_my_week' }, 'focus', 'x')).toMatchObject({ values: [] })
  })
})
