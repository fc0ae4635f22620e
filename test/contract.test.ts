import { describe, expect, test } from 'bun:test'
import { asObject } from '../src/openapi/json-schema'
import { NOBODY } from './support/asking'
import { operations } from './support/openapi'
import { recounted } from './support/recounted'
import { RESOURCES, type Resource, type Rule, type Send, type Shown } from './support/resources'
import { type Answer, type As, MANY_CALLERS, makeKey, makeWorld } from './support/world'

/** The rules that all resources share. What is special about one is tested with its feature. */

const settings = { ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '1000000' }
const world = recounted(await makeWorld({ settings }))
const small = recounted(await makeWorld({ settings: { ...settings, SCRATCH_RESOURCES: '6' } }))

/** An ETag that nothing has had. */
const STALE = { 'If-Match': '"77"' }
let callers = 0

const senderOf =
  (as: As, { call } = world): Send =>
  (...request) =>
    call(as, ...request)
const idsOf = (items: readonly Shown[]): string[] => items.map(({ id }) => id)
const nameOf = ({ nameOf = ({ id }) => id }: Resource, shown: Shown): string => nameOf(shown)
const codeOf = ({ status, body }: Answer) => [status, body.code]

/** A workspace, and what can be done there with one kind of resource. */
async function enter(resource: Resource, send: Send = senderOf({ key: makeKey(++callers) })) {
  const { path, make, prepare, made, lacks = {} } = resource
  const prepared = (await prepare?.(send)) ?? {}

  /** Sends what makes the nth one, with more members. */
  async function post(n: number, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const { method = 'POST', path: to = path, body, headers: own = {} } = make(n, { ...prepared, ...more })
    return await send(method, to, body, { ...own, ...headers })
  }

  async function list(query = ''): Promise<Shown[]> {
    const { status, body } = await send('GET', `${path}?limit=200${query && `&${query}`}`)
    expect([path, query, status]).toEqual([path, query, 200])
    return body.items
  }

  /** The resource as it is now. */
  async function read(name: string): Promise<Shown> {
    if (!lacks.read) return (await send('GET', `${path}/${name}`)).body
    return (await list()).find((one) => nameOf(resource, one) === name)
  }

  return {
    send,
    post,
    list,
    read,
    /** Makes the nth one, and answers it as it is read. */
    async one(n = 1): Promise<Shown> {
      const answer = await post(n)
      expect([path, answer.status < 300 ? 201 : answer.body]).toEqual([path, 201])
      const shown = made ? await made(send, answer) : answer.body
      return await read(nameOf(resource, shown))
    },
    at: (shown: Shown, rest = '') => `${path}/${encodeURIComponent(nameOf(resource, shown))}${rest}`,
    tagOf: async (to: string) => (await send('GET', to)).headers.get('ETag') ?? '',
    usage: async () => (await send('GET', '/api/usage')).body.workspace,
    /** What the feed tells of one since a seq. */
    async told(id: string, since = 0) {
      const { items } = (await send('GET', `/api/changes?limit=200&include=resource&since=${since}`)).body
      return items.filter((item: Shown) => item.id === id)
    },
    latest: async (): Promise<number> => (await send('GET', '/api/changes?limit=1')).body.latest_seq,
  }
}

/** The resources that have these rules, each after its type. */
const having = (...rules: readonly Rule[]) =>
  RESOURCES.filter(({ lacks = {} }) => rules.every((rule) => !lacks[rule])).map((one) => [one.type, one] as const)
const withoutMembers = (shown: Shown, members: readonly string[] = []) =>
  Object.fromEntries(Object.entries(shown).filter(([name]) => !members.includes(name)))

/** Lists of what is found or counted rather than stored. */
const OTHER_LISTS = ['notes/folders', 'notes/search', 'notes/tags', 'notes/unresolved', 'search']
  .concat('tasks/completed', 'tasks/reminders')
  .map((path) => `/api/${path}`)

test('every list of resources is in the table', async () => {
  const document = asObject((await world.call({}, 'GET', '/openapi.json')).body)
  const lists = operations(document)
    .filter(({ method, path, operation }) => {
      const parameters = JSON.stringify(operation.parameters ?? [])
      return method === 'get' && !path.includes('{') && /\bcursor"/.test(parameters)
    })
    .map(({ path }) => path)
  expect([...RESOURCES.map(({ path }) => path), ...OTHER_LISTS].toSorted()).toEqual(lists.toSorted())
})

describe.each(having('create'))('a new resource of type %s', (_, resource) => {
  test('is answered with its address and its ETag, and read back as it was answered', async () => {
    const { send, post, list, at, read, tagOf } = await enter(resource)
    const answer = await post(1)
    expect([answer.status, answer.headers.get('Location')]).toEqual([201, at(answer.body)])
    const shown = withoutMembers(answer.body, resource.once)
    const now = new Date(world.clock.now).toISOString()
    expect(shown).toMatchObject({ revision: 1, created_at: now, updated_at: now })
    expect(await read(answer.body.id)).toEqual(shown)
    expect(await tagOf(at(shown))).toMatch(/^"1[-."]/)
    // A list may leave out members, and shows no others.
    for (const item of await list()) expect(shown).toMatchObject(item)
    expect(await list()).toHaveLength(1)
    const head = await send('HEAD', at(shown))
    expect([head.status, head.body, head.headers.get('ETag')]).toEqual([200, '', await tagOf(at(shown))])
  })

  test('is made once under an Idempotency-Key, which another request cannot have', async () => {
    const { post, list } = await enter(resource)
    const key = { 'Idempotency-Key': 'once' }
    const [first, again, other] = [await post(1, {}, key), await post(1, {}, key), await post(2, {}, key)]
    const answered = ({ body }: Answer) => withoutMembers(body, resource.type === 'task_feed' ? resource.once : [])
    expect([again.status, answered(again), again.headers.get('Location')]).toEqual([
      201,
      answered(first),
      first.headers.get('Location'),
    ])
    expect([first, again].map(({ headers }) => headers.get('Idempotency-Replayed'))).toEqual([null, 'true'])
    expect([codeOf(other), (await list()).length]).toEqual([[409, 'conflict'], 1])
    expect((await (await enter(resource)).post(2, {}, key)).status).toBe(201)
  })

  test('is made once by ten requests at the same time with one Idempotency-Key', async () => {
    const { post, list } = await enter(resource)
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(1, {}, { 'Idempotency-Key': 'once' })))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await list()).toHaveLength(1)
  })
})

describe.each(having('create', 'id'))('the id of a resource of type %s', (_, resource) => {
  test('may come from its maker, is taken once in a workspace, and free in another', async () => {
    const [me, other] = [await enter(resource), await enter(resource)]
    const id = '01890000-0000-7000-8000-000000000001'
    expect((await me.post(1, { id })).body.id).toBe(id)
    const before = await me.read(id)
    const again = await me.post(2, { id })
    expect([...codeOf(again), again.body.existing_id]).toEqual([409, 'conflict', id])
    expect((await other.post(3, { id })).status).toBe(201)
    expect([await me.read(id), (await me.list()).length]).toEqual([before, 1])
    if (!resource.lacks?.trash) {
      await me.send('DELETE', me.at(before))
      expect(codeOf(await me.post(2, { id }))).toEqual([409, 'conflict'])
    }
  })

  test('is a UUIDv7 in lower case', async () => {
    const { post, list } = await enter(resource)
    for (const id of ['x', '', 5, '01890000-0000-4000-8000-000000000001', NOBODY.toUpperCase()]) {
      const { status, body } = await post(1, { id })
      expect([id, status, body.errors?.[0].pointer]).toEqual([id, 400, '/id'])
    }
    expect(await list()).toEqual([])
  })

  test('is refused with its body if a member is unknown, or set by the server', async () => {
    const { send, post, list } = await enter(resource)
    for (const member of ['colour', 'revision', 'created_by', 'deleted_at']) {
      const { status, body } = await post(1, { [member]: null })
      expect([member, status, body.errors?.[0].pointer]).toEqual([member, 400, `/${member}`])
    }
    const wrong = resource.type === 'attachment' ? [''] : ['[]', 'null', '"x"', '', undefined]
    for (const body of wrong)
      expect([body, ...codeOf(await send('POST', resource.path, body))]).toEqual([body, 400, 'invalid_request'])
    expect(await list()).toEqual([])
  })
})

describe.each(having('patch'))('a change of a resource of type %s', (_, resource) => {
  const change = resource.change ?? {}

  test('changes what it names, and by nothing or to what is there already it changes nothing', async () => {
    const { send, one, at, read, latest } = await enter(resource)
    const shown = await one()
    const seq = await latest()
    world.clock.now += 1000
    const same = Object.fromEntries(Object.keys(change).map((name) => [name, shown[name]]))
    for (const patch of [{}, same]) expect((await send('PATCH', at(shown), patch)).body).toMatchObject(shown)
    expect([await read(shown.id), await latest()]).toEqual([shown, seq])
    const { status, body, headers } = await send('PATCH', at(shown), change)
    const updated_at = new Date(world.clock.now).toISOString()
    const changed = await read(shown.id)
    expect([status, withoutMembers(body, resource.once)]).toEqual([200, changed])
    expect(changed).toMatchObject({
      ...change,
      revision: shown.revision + 1,
      created_at: shown.created_at,
      updated_at,
    })
    expect(headers.get('ETag')).toMatch(new RegExp(`^"${shown.revision + 1}[-."]`))
    expect(await latest()).toBe(seq + 1)
  })

  test('with one invalid member changes nothing', async () => {
    const { send, one, at, read } = await enter(resource)
    const shown = await one()
    for (const member of ['colour', 'id', 'revision', 'created_at', 'deleted_at']) {
      const { status, body } = await send('PATCH', at(shown), { ...change, [member]: null })
      expect([member, status, body.errors?.[0].pointer]).toEqual([member, 400, `/${member}`])
    }
    for (const body of ['[]', 'null', '5', '{', undefined])
      expect([body, (await send('PATCH', at(shown), body)).status]).toEqual([body, 400])
    expect(await read(shown.id)).toEqual(shown)
  })

  test('is made once by ten requests at the same time with one If-Match', async () => {
    const { send, one, at, read, tagOf } = await enter(resource)
    const shown = await one()
    const tag = { 'If-Match': await tagOf(at(shown)) }
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('PATCH', at(shown), change, tag)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(412)])
    expect((await read(shown.id)).revision).toBe(shown.revision + 1)
  })
})

/** The requests that change one: the method, the end of the path, and the body. */
function writesOf({ change, lacks = {} }: Resource) {
  return [
    ...(lacks.patch ? [] : [['PATCH', '', change] as const]),
    ...(lacks.delete ? [] : [['DELETE', ''] as const]),
    ...(lacks.trash ? [] : [['DELETE', '?permanent=true'] as const, ['POST', '/restore'] as const]),
  ]
}

describe.each(having('trash'))('the trash of the type %s', (type, resource) => {
  test('keeps what was deleted, out of the list and unchanged, until it is restored', async () => {
    const { send, one, at, read, list, latest, usage, told } = await enter(resource)
    const [other, shown] = [await one(2), await one(1)]
    expect((await send('POST', at(shown, '/restore'))).body).toEqual(shown)
    const used = await usage()
    for (let times = 0; times < 2; times++) {
      const { status, body } = await send('DELETE', at(shown))
      expect([status, body]).toEqual([204, ''])
    }
    const deleted_at = new Date(world.clock.now).toISOString()
    const gone = await read(shown.id)
    expect(gone).toMatchObject({ deleted_at, revision: shown.revision + 1 })
    expect([idsOf(await list()), idsOf(await list('trashed=false'))]).toEqual([[other.id], [other.id]])
    expect(idsOf(await list('trashed=true'))).toEqual([shown.id])
    expect(codeOf(await send('PATCH', at(shown), resource.change))).toEqual([409, 'conflict'])
    expect(await told(shown.id)).toMatchObject([{ type, op: 'delete', revision: gone.revision, resource: null }])
    expect((await usage()).resources).toBe(used.resources)

    const seq = await latest()
    const back = await send('POST', at(shown, '/restore'), undefined, { 'Idempotency-Key': 'once' })
    expect([back.status, back.body]).toMatchObject([200, { deleted_at: null, revision: shown.revision + 2 }])
    expect((await send('POST', at(shown, '/restore'))).body).toEqual(back.body)
    const again = await send('POST', at(shown, '/restore'), undefined, { 'Idempotency-Key': 'once' })
    expect([again.body, again.headers.get('Idempotency-Replayed')]).toEqual([back.body, 'true'])
    expect(idsOf(await list()).toSorted()).toEqual([shown.id, other.id].toSorted())
    expect(await list('trashed=true')).toEqual([])
    expect(await told(shown.id, seq)).toMatchObject([{ op: 'upsert', resource: await read(shown.id) }])
  })
})

describe.each(having('delete'))('a resource of type %s', (type, resource) => {
  const erased = resource.lacks?.trash ? '' : '?permanent=true'

  test.each(resource.lacks?.trash ? [''] : ['', 'from the trash'])(
    'is erased with all that it counted %s',
    async (from) => {
      const { send, one, at, list, latest, usage, told } = await enter(resource)
      const other = await one(2)
      const before = await usage()
      const shown = await one(1)
      const used = await usage()
      expect([used.resources - before.resources, used.size_bytes > before.size_bytes]).toEqual([1, true])
      if (from) await send('DELETE', at(shown))
      const seq = await latest()
      expect((await send('DELETE', at(shown, erased))).status).toBe(204)
      for (const [method, rest, body] of [['GET', ''] as const, ...writesOf(resource)])
        expect([method, ...codeOf(await send(method, at(shown, rest), body))]).toEqual([method, 404, 'not_found'])
      expect(idsOf(await list())).toEqual([other.id])
      expect(await usage()).toMatchObject({ resources: before.resources, size_bytes: before.size_bytes })
      const revision = shown.revision + (from ? 2 : 1)
      expect(await told(shown.id, seq)).toMatchObject([{ type, op: 'delete', revision, resource: null }])
    },
  )

  test('can be erased between two pages of its list, and the cursor still works', async () => {
    const { one, at, list, send } = await enter(resource)
    for (let n = 1; n <= 3; n++) await one(n)
    const [first, second, third] = await list()
    const { items, next_cursor } = (await send('GET', `${resource.path}?limit=2`)).body
    expect(idsOf(items)).toEqual([first.id, second.id])
    await send('DELETE', at(second, erased))
    expect(idsOf((await send('GET', `${resource.path}?limit=2&cursor=${next_cursor}`)).body.items)).toEqual([third.id])
  })
})

describe.each(having())('a resource of type %s', (type, resource) => {
  const { change = {}, lacks = {}, once } = resource
  const writes = writesOf(resource)

  test('is not changed with a stale If-Match, which is answered with the resource as it is', async () => {
    const { send, one, at, read, latest } = await enter(resource)
    const shown = await one()
    const seq = await latest()
    for (const [method, rest, body] of writes) {
      const { status, body: problem } = await send(method, at(shown, rest), body, STALE)
      expect([method, status, problem.code]).toEqual([method, 412, 'precondition_failed'])
      expect(withoutMembers(problem.current, once)).toEqual(await read(nameOf(resource, shown)))
      expect((await send(method, at(shown, rest), body, { 'If-Match': 'bare' })).status).toBe(400)
    }
    expect([await read(nameOf(resource, shown)), await latest()]).toEqual([shown, seq])
  })

  test('is changed with the If-Match of its revision, also as a proxy writes it, and read again only if it has changed', async () => {
    const { send, one, at, read, tagOf } = await enter(resource)
    const shown = await one()
    if (lacks.revision) return expect(await tagOf(at(shown))).toBe('')
    const tag = await tagOf(at(shown))
    const same = await send('GET', at(shown), undefined, { 'If-None-Match': tag })
    expect([same.status, same.body, same.headers.get('ETag')]).toEqual([304, '', tag])
    if (!lacks.patch) {
      const written = [tag, ...['W/"2-0"', '"3-0-gzip"', '"4-0.gz"', '*']]
      for (const [i, match] of written.entries()) {
        const body = i % 2 === 0 ? change : Object.fromEntries(Object.keys(change).map((name) => [name, shown[name]]))
        expect([match, (await send('PATCH', at(shown), body, { 'If-Match': match })).status]).toEqual([match, 200])
      }
      expect((await read(shown.id)).revision).toBe(shown.revision + written.length)
      expect((await send('GET', at(shown), undefined, { 'If-None-Match': tag })).status).toBe(200)
    }
    if (lacks.delete) return
    expect((await send('DELETE', at(shown), undefined, { 'If-Match': await tagOf(at(shown)) })).status).toBe(204)
  })

  test('is in the change feed as it is read', async () => {
    const { send, one, at, read, told, latest } = await enter(resource)
    const seq = await latest()
    const shown = await one()
    if (lacks.feed) return expect(await told(shown.id)).toEqual([])
    expect(await told(shown.id, seq)).toMatchObject([{ type, op: 'upsert', revision: shown.revision, resource: shown }])
    const after = await latest()
    for (const [method, rest, body] of writes) await send(method, at(shown, rest), body, STALE)
    if (lacks.patch) return expect(await told(shown.id, after)).toEqual([])
    await send('PATCH', at(shown), change)
    const changed = await read(shown.id)
    expect(await told(shown.id, after)).toMatchObject([{ op: 'upsert', revision: changed.revision, resource: changed }])
    expect(await told(shown.id)).toHaveLength(1)
  })

  test('does not exist for another workspace', async () => {
    const [me, other] = [await enter(resource), await enter({ ...resource, prepare: async () => ({}) })]
    const shown = await me.one()
    await me.one(2)
    const { next_cursor } = (await me.send('GET', `${resource.path}?limit=1`)).body
    for (const [method, rest, body] of [['GET', ''] as const, ['HEAD', ''] as const, ...writes]) {
      const { status } = await other.send(method, me.at(shown, rest), body)
      expect([method, rest, status]).toEqual([method, rest, 404])
    }
    expect(await other.list()).toEqual([])
    if (!lacks.trash) expect(await other.list('trashed=true')).toEqual([])
    expect((await other.send('GET', `${resource.path}?cursor=${next_cursor}`)).body.items ?? []).toEqual([])
    expect((await other.send('GET', '/api/changes')).body.items).toEqual([])
    expect(await other.usage()).toMatchObject({ resources: 0, size_bytes: 0 })
    expect(await me.read(nameOf(resource, shown))).toEqual(shown)
  })

  test('with an unknown id is 404, with a malformed one 400', async () => {
    const { send } = await enter(resource)
    for (const [method, rest, body] of [['GET', ''] as const, ...writes]) {
      expect(codeOf(await send(method, `${resource.path}/${NOBODY}${rest}`, body))).toEqual([404, 'not_found'])
      if (resource.nameOf || type === 'attachment') continue
      expect(codeOf(await send(method, `${resource.path}/nonsense${rest}`, body))).toEqual([400, 'invalid_request'])
    }
  })

  test('lacks what the table says that it lacks', async () => {
    const { send, one, at, usage } = await enter(resource)
    const before = await usage()
    const shown = await one()
    const status = async (...request: Parameters<Send>) => (await send(...request)).status
    if (lacks.create) expect(await status('POST', resource.path, {})).toBe(405)
    if (lacks.id) expect(await status('POST', resource.path, { id: NOBODY })).toBe(400)
    if (lacks.read) expect((await send('GET', at(shown))).headers.get('Content-Type')).not.toContain('json')
    if (lacks.patch) expect(await status('PATCH', at(shown), {})).toBe(405)
    if (lacks.delete) expect(await status('DELETE', at(shown))).toBe(type === 'import' ? 200 : 405)
    if (lacks.trash) expect(await status('POST', at(shown, '/restore'))).toBeOneOf([404, 405])
    if (lacks.trash && !lacks.delete) expect(await status('GET', `${resource.path}?trashed=true`)).toBe(400)
    if (lacks.quota) {
      const counted = ['/api/notes', '/api/flashcards/facts', '/api/flashcards/decks'].map(async (path) => {
        return (await send('GET', path)).body.items.length
      })
      const others = (await Promise.all(counted)).reduce((sum, length) => sum + length)
      expect([(await usage()).resources, before.resources <= others]).toEqual([others, true])
    }
  })
})

describe.each(having())('the list of the type %s', (_, resource) => {
  const { path } = resource

  test('shows each resource once, page by page, in order', async () => {
    const { one, list, send } = await enter(resource)
    const made: string[] = []
    for (let n = 1; n <= 5; n++) {
      world.clock.now += 1000
      made.push((await one(n)).id)
    }
    const all = idsOf(await list())
    expect(all.toSorted()).toEqual(made.toSorted())
    if (resource.order) expect(all).toEqual(resource.order === 'newest first' ? made.toReversed() : made)
    const pages = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await send('GET', `${path}?limit=2${cursor && `&cursor=${cursor}`}`)
      pages.push(idsOf(body.items))
      cursor = body.next_cursor
    }
    expect(pages).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)])
    const whole = (await send('GET', `${path}?limit=5`)).body
    expect([idsOf(whole.items), whole.next_cursor]).toEqual([all, null])
    expect((await send('GET', `${path}?limit=4`)).body.next_cursor).toBeString()
  })

  test('takes limits from 1 to 200, and no cursor of another list', async () => {
    const { one, send } = await enter(resource)
    for (let n = 1; n <= 2; n++) await one(n)
    const { next_cursor } = (await send('GET', `${path}?limit=1`)).body
    for (const limit of ['0', '201', '0x10', '1e1', '%207', '-1', '', 'x']) {
      const { status, body } = await send('GET', `${path}?limit=${limit}`)
      expect([limit, status, body.errors?.[0].pointer]).toEqual([limit, 400, '/limit'])
    }
    for (const limit of ['1', '200']) expect((await send('GET', `${path}?limit=${limit}`)).status).toBe(200)
    for (const cursor of ['', '!!!', 'e30', 'W10', `${next_cursor}x`, next_cursor.slice(0, 9)])
      expect([cursor, ...codeOf(await send('GET', `${path}?cursor=${cursor}`))]).toEqual([
        cursor,
        400,
        'invalid_cursor',
      ])
    for (const query of ['colour=red', 'limit=1&limit=2', 'trashed=yes', 'sort=size'])
      expect([query, (await send('GET', `${path}?${query}`)).status]).toEqual([query, 400])
    for (const query of resource.otherLists ?? [])
      expect([query, ...codeOf(await send('GET', `${path}?${query}&cursor=${next_cursor}`))]).toEqual([
        query,
        400,
        'invalid_cursor',
      ])
    for (const other of RESOURCES.filter((one) => one.path !== path))
      expect([other.path, ...codeOf(await send('GET', `${other.path}?cursor=${next_cursor}`))]).toEqual([
        other.path,
        400,
        'invalid_cursor',
      ])
  })
})

describe.each(having('quota'))('a workspace that is full has no room for the type %s', (_, resource) => {
  test('until something is erased', async () => {
    const address = `198.51.100.${++callers % 256}`
    const { send, post, list, at, usage } = await enter(resource, senderOf({ address }, small))
    while ((await usage()).resources < 6) expect((await send('POST', '/api/notes', { title: 'x' })).status).toBe(201)
    const [there, full] = [await list(), await usage()]
    const refused = await post(1)
    expect(codeOf(refused)).toEqual([429, 'quota_exceeded'])
    expect([await list(), await usage()]).toEqual([there, full])
    const [note] = (await send('GET', '/api/notes')).body.items
    expect((await send('DELETE', `/api/notes/${note.id}?permanent=true`)).status).toBe(204)
    expect((await post(1)).status).toBeLessThan(300)
    const [shown] = await list()
    expect((await usage()).resources).toBe(6)
    if (resource.change) expect((await send('PATCH', at(shown), resource.change)).status).toBe(200)
  })
})

describe.each([
  ['workspace', '/api/workspace/settings', 'workspace_settings', { time_zone: 'Europe/Lisbon' }],
  ['flashcard', '/api/flashcards/settings', 'study_settings', { time_zone: 'Europe/Lisbon' }],
] as const)('the %s settings', (_, path, type, change) => {
  test('exist from the start, and change as any resource does', async () => {
    const [send, other] = [senderOf({ key: makeKey(++callers) }), senderOf({ key: makeKey(++callers) })]
    const unset = await send('GET', path)
    const tag = { 'If-Match': unset.headers.get('ETag') ?? '' }
    expect((await send('PATCH', path, {})).body).toEqual(unset.body)
    expect((await send('GET', '/api/changes')).body.items).toEqual([])
    const changed = await send('PATCH', path, change, tag)
    expect([changed.status, changed.body]).toMatchObject([200, { ...change, revision: unset.body.revision + 1 }])
    for (const match of [tag, STALE]) {
      const stale = await send('PATCH', path, { time_zone: null }, match)
      expect([...codeOf(stale), stale.body.current]).toEqual([412, 'precondition_failed', changed.body])
    }
    expect((await send('PATCH', path, {})).body).toEqual(changed.body)
    const { status } = await send('GET', path, undefined, { 'If-None-Match': changed.headers.get('ETag') ?? '' })
    expect(status).toBe(304)
    const { items } = (await send('GET', '/api/changes?include=resource')).body
    expect(items).toMatchObject([{ type, id: changed.body.id, op: 'upsert', revision: changed.body.revision }])
    expect(items[0].resource).toEqual(changed.body)
    expect((await other('GET', path)).body).toEqual(unset.body)
  })
})
