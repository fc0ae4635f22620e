import { afterAll, describe, expect, test } from 'bun:test'
import { everything, makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)
const { call, stranger } = world
const BATCH = '/api/notes/batch'
const NOBODY = '01890000-0000-7000-8000-00000000ffff'

async function filled() {
  const me = stranger()
  const made = async (input: object) => (await call(me, 'POST', '/api/notes', input)).body
  return {
    me,
    a: await made({ title: 'a', tags: ['x', 'y'], body: '# Log\n' }),
    b: await made({ title: 'b', body: 'x x' }),
  }
}

const summaryOf = ({ body: _, properties: __, ...summary }: Record<string, unknown>) => summary

describe('a batch', () => {
  test('does each op as its own endpoint would, in order', async () => {
    const { me, a, b } = await filled()
    const id = '01890000-0000-7000-8000-000000000001'
    const ops = [
      { op: 'create', id, data: { title: 'c', body: 'see #it' } },
      { op: 'update', id: a.id, if_revision: 1, data: { folder: 'F' } },
      { op: 'delete', id: b.id },
      { op: 'restore', id: b.id, if_revision: 2 },
      { op: 'edits', id: a.id, data: { edits: [{ op: 'append', target: { heading: ['Log'] }, content: 'x' }] } },
      { op: 'update', id, data: { title: 'cc' } },
    ]
    const { status, body } = await call(me, 'POST', BATCH, { ops })
    expect(status).toBe(200)
    expect(
      body.items.map((item: { index: number; status: number; id: string }) => [item.index, item.status, item.id]),
    ).toEqual([
      [0, 201, id],
      [1, 200, a.id],
      [2, 204, b.id],
      [3, 200, b.id],
      [4, 200, a.id],
      [5, 200, id],
    ])
    expect(body.items[2].body).toBeNull()
    for (const [index, one] of [
      [3, b.id],
      [4, a.id],
      [5, id],
    ] as const)
      expect(body.items[index].body).toEqual(summaryOf((await call(me, 'GET', `/api/notes/${one}`)).body))
    expect((await call(me, 'GET', `/api/notes/${a.id}`)).body).toMatchObject({
      revision: 3,
      folder: 'F',
      body: '# Log\n\nx\n',
    })
  })

  test('says of each op whether it found the note as it was to be', async () => {
    const { me, a } = await filled()
    const ops = [{ data: { folder: 'F' } }, { data: { folder: 'F' } }, { data: {} }, { data: { tags_add: ['new'] } }]
    const updates = ops.map((op) => ({ op: 'update', id: a.id, ...op }))
    const { body } = await call(me, 'POST', BATCH, { ops: [...updates, { op: 'restore', id: a.id }] })
    const said = body.items.map(({ unchanged }: { unchanged?: true }) => unchanged)
    expect(said).toEqual([undefined, true, true, undefined, true])
  })

  const failing: [string, (ids: { a: string; b: string }) => object, number, string][] = [
    [
      'a stale revision',
      ({ a }) => ({ op: 'update', id: a, if_revision: 7, data: { title: 'x' } }),
      412,
      'precondition_failed',
    ],
    ['a note that is nobody’s', () => ({ op: 'delete', id: NOBODY }), 404, 'not_found'],
    ['an id that is taken', ({ b }) => ({ op: 'create', id: b, data: {} }), 409, 'conflict'],
    ['a folder that is none', () => ({ op: 'create', data: { folder: '..' } }), 400, 'invalid_request'],
    [
      'an edit without a target',
      ({ a }) => ({ op: 'edits', id: a, data: { edits: [{ op: 'delete', target: { text: 'zz' } }] } }),
      409,
      'edit_target_missing',
    ],
    [
      'an edit with two targets',
      ({ b }) => ({ op: 'edits', id: b, data: { edits: [{ op: 'delete', target: { text: 'x' } }] } }),
      409,
      'edit_target_ambiguous',
    ],
    ['tags that are none', ({ a }) => ({ op: 'update', id: a, data: { tags_add: ['a,b'] } }), 400, 'invalid_request'],
  ]

  test.each(failing)('atomic, with %s at any index, changes nothing', async (_, op, status, code) => {
    const { me, a, b } = await filled()
    const before = await everything(world, me)
    const fine = [
      { op: 'create', data: { title: 'new' } },
      { op: 'update', id: a.id, data: { pinned: true } },
      { op: 'delete', id: b.id },
    ]
    for (let index = 0; index < 3; index += 1) {
      const ops = fine.map((one, i) => (i === index ? op({ a: a.id, b: b.id }) : one))
      const refused = await call(me, 'POST', BATCH, { atomic: true, ops })
      expect([refused.status, refused.body.code, refused.body.failed_index]).toEqual([status, code, index])
      for (const { pointer } of refused.body.errors ?? []) expect(pointer).toStartWith(`/ops/${index}/data/`)
    }
    expect(await everything(world, me)).toEqual(before)
  })

  test.each(failing)('not atomic, does the others around %s', async (_, op, status, code) => {
    const { me, a, b } = await filled()
    const failed = op({ a: a.id, b: b.id })
    const ops = [{ op: 'create', data: { title: 'new' } }, failed, { op: 'update', id: a.id, data: { pinned: true } }]
    const { status: served, body } = await call(me, 'POST', BATCH, { atomic: false, ops })
    expect([served, body.items.map((item: { status: number }) => item.status)]).toEqual([200, [201, status, 200]])
    expect(body.items[1]).toMatchObject({
      index: 1,
      id: 'id' in failed ? failed.id : null,
      body: { code, status, error: body.items[1].body.detail },
    })
    expect(body.items[1].body.request_id).toBeString()
    expect((await call(me, 'GET', `/api/notes/${a.id}`)).body).toMatchObject({ pinned: true, revision: 2 })
    expect((await call(me, 'GET', '/api/changes')).body.latest_seq).toBe(4)
  })

  test('tags in bulk without reading first', async () => {
    const { me, a, b } = await filled()
    const data = { tags_add: ['NEW', 'new', 'z'], tags_remove: ['X', 'nothing'] }
    const { body } = await call(me, 'POST', BATCH, { ops: [a, b].map(({ id }) => ({ op: 'update', id, data })) })
    expect(body.items.map((item: { body: { tags: string[] } }) => item.body.tags)).toEqual([
      ['y', 'NEW', 'z'],
      ['NEW', 'z'],
    ])
    const full = Array.from({ length: 64 }, (_, i) => `t${i}`)
    const refused = await call(me, 'POST', BATCH, { ops: [{ op: 'update', id: b.id, data: { tags_add: full } }] })
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/ops/0/data/tags_add'])
  })

  test('with the same Idempotency-Key is done once', async () => {
    const me = stranger()
    const sent = {
      atomic: false,
      ops: [
        { op: 'create', data: {} },
        { op: 'delete', id: NOBODY },
      ],
    }
    const first = await call(me, 'POST', BATCH, sent, { 'Idempotency-Key': 'k' })
    const again = await call(me, 'POST', BATCH, sent, { 'Idempotency-Key': 'k' })
    expect(again.body).toEqual(first.body)
    expect((await call(me, 'GET', '/api/notes')).body.items).toHaveLength(1)
  })

  test('is one request for the limit', async () => {
    const me = stranger()
    const remaining = async () => Number((await call(me, 'GET', '/api/notes')).headers.get('x-ratelimit-remaining'))
    const before = await remaining()
    await call(me, 'POST', BATCH, { ops: Array.from({ length: 100 }, () => ({ op: 'create', data: {} })) })
    expect(before - (await remaining())).toBe(2)
  })

  test('over the quota, atomic, stores nothing; else as much as fits', async () => {
    const me = { address: '198.51.100.7' }
    const ops = Array.from({ length: 100 }, () => ({ op: 'create', data: {} }))
    expect((await call(me, 'POST', BATCH, { ops })).status).toBe(200)
    expect((await call(me, 'POST', BATCH, { ops: ops.slice(1) })).status).toBe(200)
    const refused = await call(me, 'POST', BATCH, { ops: ops.slice(0, 2) })
    expect([refused.status, refused.body.failed_index]).toEqual([429, 1])
    const { body } = await call(me, 'POST', BATCH, { atomic: false, ops: ops.slice(0, 2) })
    expect(body.items.map((item: { status: number }) => item.status)).toEqual([201, 429])
  })

  test.each<[string, unknown]>([
    ['no ops', { ops: [] }],
    ['too many ops', { ops: Array.from({ length: 101 }, () => ({ op: 'create', data: {} })) }],
    ['an unknown op', { ops: [{ op: 'erase', id: NOBODY }] }],
    ['no id', { ops: [{ op: 'delete' }] }],
    ['an unknown member', { ops: [{ op: 'delete', id: NOBODY, data: {} }] }],
    ['two ids', { ops: [{ op: 'create', data: { id: NOBODY } }] }],
    ['a revision of what is new', { ops: [{ op: 'create', data: {}, if_revision: 1 }] }],
    [
      'a dry run',
      { ops: [{ op: 'edits', id: NOBODY, data: { edits: [{ op: 'delete', target: { text: 'x' } }], dry_run: true } }] },
    ],
  ])('of %s is refused', async (_, body) => {
    const refused = await call(stranger(), 'POST', BATCH, body)
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
    expect(refused.body.errors[0].pointer).toStartWith('/ops')
  })
})
