import { afterAll, describe, expect, test } from 'bun:test'
import { makeCallers } from './callers'

const { world, stranger, ask, items, titles, create } = await makeCallers()
afterAll(world.close)

describe('a search', () => {
  test('finds words without regard to accents and case, and pieces in scripts without spaces', async () => {
    const me = stranger()
    await create(me, { title: 'one', body: 'Das Café in ZÜRICH' })
    await create(me, { title: 'two', body: '会議の議事録' })
    await create(me, { title: 'three', body: 'ｶﾞｽ, C++ and 🤩!' })
    for (const q of ['cafe', 'CAFÉ', 'cafe\u0301', 'zuri*', '*afe*', '"das cafe"', 'body:cafe'])
      expect([q, await titles(me, q)]).toEqual([q, ['one']])
    for (const q of ['議事', '録', '会議の議事録', '"議の議"']) expect(await titles(me, q)).toEqual(['two'])
    for (const q of ['ガ', 'ガス', '++', '🤩', 'c++', '*++*']) expect([q, await titles(me, q)]).toEqual([q, ['three']])
    for (const q of ['afe', 'title:cafe', '"cafe das"', 'カ', '*+++*'])
      expect([q, await titles(me, q)]).toEqual([q, []])
  })

  test('takes a quotation within a question for words where nothing has it as it stands, and alone for what it is', async () => {
    const me = stranger()
    await create(me, { title: 'Doctors', body: 'In Doctor Who, many actors played the doctor.' })
    await create(me, { title: 'Nurses', body: 'Nobody plays here.' })
    for (const q of ['who wrote "the doctor who"?', 'actors ("Who Doctor") played', 'actors (many played)'])
      expect([q, (await titles(me, q))[0]]).toEqual([q, 'Doctors'])
    for (const [q, more] of [
      ['"the doctor who"', {}],
      ['"Who Doctor" -nobody', {}],
      ['actors "Who Doctor"', { strict: 'true' }],
    ] as const)
      expect([q, await titles(me, q, more)]).toEqual([q, []])
    expect(await titles(me, 'plays "doctor who"')).toEqual(['Doctors'])
  })

  test('knows what a note must not have, alone and with others', async () => {
    const me = stranger()
    await create(me, { title: 'a', body: 'x 会議' })
    await create(me, { title: 'b', body: 'y' })
    expect(await titles(me, '-x')).toEqual(['b'])
    expect(await titles(me, 'NOT 会議')).toEqual(['b'])
    expect(await titles(me, '-x -y')).toEqual([])
    expect((await titles(me, '-zzz')).sort()).toEqual(['a', 'b'])
    expect((await items(me, '-zzz')).map(({ snippets }) => snippets)).toEqual([[], []])
  })

  test('without a query, or with one it cannot read, is refused with the place', async () => {
    const me = stranger()
    const refused = await ask(me, 'a is:foo')
    expect([refused.status, refused.body.code, refused.body.column]).toEqual([400, 'invalid_query', 3])
    expect((await ask(me, '')).body).toMatchObject({ code: 'invalid_query', column: 1 })
    expect((await world.call(me, 'GET', '/api/notes/search')).body.code).toBe('invalid_request')
    expect((await ask(me, 'a', { time_zone: 'Mars/Olympus' })).body.errors[0].pointer).toBe('/time_zone')
    for (const more of [{ sort: 'updated' }, { trashed: 'true' }, { limit: '201' }, { nothing: '1' }])
      expect((await ask(me, 'a', more as unknown as Record<string, string>)).body.code).toBe('invalid_request')
  })

  test('reads dates in the zone that it is told', async () => {
    const me = stranger()
    world.clock.now = Date.parse('2026-03-01T23:30:00.000Z')
    await create(me, { title: 'late' })
    world.clock.now = Date.parse('2026-03-02T12:00:00.000Z')
    expect(await titles(me, 'created:2026-03-01')).toEqual(['late'])
    expect(await titles(me, 'created:2026-03-02')).toEqual([])
    expect(await titles(me, 'created:2026-03-02', { time_zone: 'Europe/Zurich' })).toEqual(['late'])
    expect(await titles(me, 'updated:1d')).toEqual(['late'])
    for (const zone of ['Mars/Olympus', '', '+02:00', 'UTC+2', 'Europe/Zurich '])
      expect((await ask(me, 'late', { time_zone: zone })).body.errors).toMatchObject([
        { pointer: '/time_zone', code: 'invalid_zone' },
      ])
  })

  test('takes the filters of the list, and shows what is archived unless told otherwise', async () => {
    const me = stranger()
    await create(me, {
      title: 'old',
      body: 'word',
      archived_at: '2026-01-01T00:00:00.000Z',
      folder: 'A/B',
      tags: ['t/u'],
    })
    await create(me, { title: 'new', body: 'word', pinned: true })
    expect((await titles(me, 'word')).sort()).toEqual(['new', 'old'])
    expect(await titles(me, 'word', { archived: 'false' })).toEqual(['new'])
    expect(await titles(me, 'word', { archived: 'true' })).toEqual(['old'])
    expect(await titles(me, 'word', { folder: 'A' })).toEqual(['old'])
    expect(await titles(me, 'word', { tag: 'T' })).toEqual(['old'])
    expect(await titles(me, 'word', { pinned: 'true' })).toEqual(['new'])
    expect(await titles(me, 'word', { pinned: 'true', sort: '-updated' })).toEqual(['new'])
  })

  test('sees nothing of another workspace', async () => {
    const [me, other] = [stranger(), stranger()]
    await create(me, { id: '01890000-0000-7000-8000-000000000001', title: 'mine', body: 'secret 秘密 #s', tags: ['s'] })
    await create(other, { id: '01890000-0000-7000-8000-000000000001', title: 'theirs', body: 'other' })
    for (const q of ['secret', '秘密', '密', '*ecr*', 'tag:s', '-other', 'sec*', 's*', 'title:mine'])
      for (const sort of [{}, { sort: '-updated' }])
        expect(await titles(other, q, sort as Record<string, string>)).toEqual([])
    expect(await titles(stranger(), '-secret')).toEqual([])
    const first = await ask(me, '-nothing', { limit: '1' })
    expect(first.body.next_cursor).toBeNull()
  })
})
