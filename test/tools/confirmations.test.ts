import { afterAll, describe, expect, test } from 'bun:test'
import { MAX_WAITING } from '../../src/tools/confirmations'
import { type Caller, makeTools, OPEN, ok } from './support'

const tools = await makeTools()
afterAll(tools.close)

interface Asked {
  readonly token: string
  readonly code: string
  readonly expires_at: string
}

const MINUTE = 60_000

/** Makes a note and asks to trash it. */
async function askToTrash(me = tools.caller()) {
  const id = String(ok(await me.call('create_note', { title: 'Old plan', body: 'One.' })).result.id)
  const asked = ok(await me.call('trash_item', { type: 'note', id }))
  return { me, id, asked, confirm: asked.action?.confirm as unknown as Asked }
}

const deletedAt = async (me: Caller, id: string) => (await me.send('GET', `/api/notes/${id}`)).deleted_at
const rows = (): Promise<{ n: number } | null> => tools.world.db.get('SELECT count(*) AS n FROM chat_confirmations')
const unknown = { code: 'confirmation_unknown', status: 400 }

describe('what waits', () => {
  test('is told to the caller with token and code, to a model without, and changes nothing', async () => {
    const { me, id, asked, confirm } = await askToTrash()
    expect(asked.action).toMatchObject({
      status: 'pending',
      risk: 'delete',
      summary: 'Move the note "Old plan" to the trash',
      target: { type: 'note', id, revision: 1 },
      result: null,
      undo: null,
    })
    expect(confirm.token).toMatch(/^[\w-]{43}$/)
    expect(confirm.code).toMatch(/^[0-9a-hjkmnp-tv-z]{6}$/)
    expect(confirm.expires_at).toBe(new Date(tools.world.clock.now + 10 * MINUTE).toISOString())
    expect(JSON.stringify(asked.result)).not.toContain(confirm.token)
    expect(JSON.stringify(asked.result)).not.toContain(confirm.code)
    expect(await deletedAt(me, id)).toBeNull()
    expect(me.recorded).toHaveLength(1)
    const stored = JSON.stringify(await tools.world.db.all('SELECT * FROM chat_confirmations'))
    expect(stored).not.toContain(confirm.token)
    expect(stored).not.toContain(confirm.code)
  })

  test('is done once by its token, is in the feed, and can be undone', async () => {
    const { me, id, confirm } = await askToTrash()
    const [outcome] = await me.confirm({ tokens: [confirm.token, confirm.token] })
    expect(outcome?.action).toMatchObject({ status: 'done', summary: 'Moved the note "Old plan" to the trash' })
    expect(await deletedAt(me, id)).not.toBeNull()
    expect(me.recorded.at(-1)).toEqual(outcome?.action as never)
    expect(await me.changes()).toMatchObject([{ id, op: 'delete', revision: 2 }])
    await expect(me.confirm({ tokens: [confirm.token] })).rejects.toMatchObject(unknown)
    await expect(me.confirm({ code: confirm.code })).rejects.toMatchObject(unknown)
    await me.undo(outcome?.action)
    expect(await deletedAt(me, id)).toBeNull()
  })

  test('is done by its code, however it is typed', async () => {
    const { me, id, confirm } = await askToTrash()
    const typed = ` ${confirm.code.toUpperCase().replaceAll('0', 'O').replaceAll('1', 'l')} `
    expect((await me.confirm({ code: typed }))[0]?.action?.status).toBe('done')
    expect(await deletedAt(me, id)).not.toBeNull()
  })

  test('has a code that no word is', async () => {
    const me = tools.caller()
    for (let i = 0; i < 20; i++) {
      const { confirm } = await askToTrash(me)
      expect(confirm.code).toMatch(/^[2-9][0-9a-hjkmnp-tv-z]{5}$/)
    }
  })

  test('unknown, spent, expired and of another workspace look the same, and do nothing', async () => {
    const [me, other] = [tools.caller(), tools.caller()]
    const { id, confirm } = await askToTrash(me)
    const details = new Set<unknown>()
    const refused = async (caller: Caller, by: { tokens?: string[]; code?: string }) => {
      const error = await caller.confirm(by).catch((error: unknown) => error)
      expect(error).toMatchObject(unknown)
      details.add(JSON.stringify([Reflect.get(error as object, 'detail'), Reflect.get(error as object, 'extra')]))
    }
    await refused(other, { tokens: [confirm.token] })
    await refused(other, { code: confirm.code })
    await refused(me, { tokens: ['nothing'] })
    await refused(me, { tokens: [''] })
    // One unknown token, and nothing is done for the others either.
    await refused(me, { tokens: [confirm.token, 'nothing'] })
    expect(await deletedAt(me, id)).toBeNull()
    tools.world.clock.now += 10 * MINUTE
    await refused(me, { tokens: [confirm.token] })
    const second = await askToTrash(me)
    await me.confirm({ code: second.confirm.code })
    await refused(me, { tokens: [second.confirm.token] })
    expect(details.size).toBe(1)
    expect(await deletedAt(me, id)).toBeNull()
  })

  test('holds until the last millisecond', async () => {
    const { me, confirm } = await askToTrash()
    tools.world.clock.now += 10 * MINUTE - 1
    expect((await me.confirm({ tokens: [confirm.token] }))[0]?.action?.status).toBe('done')
  })

  test('fails where the resource changed meanwhile, or is gone, and is spent', async () => {
    const me = tools.caller()
    for (const change of ['PATCH', 'DELETE'] as const) {
      const { id, confirm } = await askToTrash(me)
      await me.send(change, `/api/notes/${id}`, change === 'PATCH' ? { body: 'Two.' } : undefined)
      const before = await me.changes()
      const [outcome] = await me.confirm({ tokens: [confirm.token] })
      expect(outcome).toMatchObject({
        fault: { code: 'precondition_failed' },
        action: { status: 'failed', error: { code: 'precondition_failed' }, undo: null, result: null },
      })
      expect(await me.changes()).toEqual(before)
      await expect(me.confirm({ tokens: [confirm.token] })).rejects.toMatchObject(unknown)
    }
  })

  test('fails where a task has other parts by now, and takes its parts along', async () => {
    const me = tools.caller()
    const id = String(ok(await me.call('create_task', { title: 'Move' })).result.id)
    const part = await me.send('POST', '/api/tasks', { title: 'Boxes', parent_id: id })
    const [first, second] = [0, 1].map(() => me.call('trash_item', { type: 'task', id }))
    const token = async (asked: typeof first) => String((await asked)?.action?.confirm?.token)
    expect((await first)?.action?.summary).toBe('Move the task "Move" with its 1 part to the trash')
    const [done] = await me.confirm({ tokens: [await token(first)] })
    expect((await me.send('GET', `/api/tasks/${part.id}`)).deleted_at).not.toBeNull()
    await me.undo(done?.action)
    expect((await me.send('GET', `/api/tasks/${part.id}`)).deleted_at).toBeNull()
    expect((await me.confirm({ tokens: [await token(second)] }))[0]?.fault?.code).toBe('precondition_failed')
    const third = await me.call('trash_item', { type: 'task', id })
    await me.send('POST', '/api/tasks', { title: 'Tape', parent_id: id })
    const [late] = await me.confirm({ tokens: [String(third.action?.confirm?.token)] })
    expect(late?.fault?.code).toBe('precondition_failed')
    expect((await me.send('GET', `/api/tasks/${id}`)).deleted_at).toBeNull()
  })

  test('two confirmations at once do it once', async () => {
    const { me, confirm } = await askToTrash()
    const both = await Promise.allSettled([me.confirm({ tokens: [confirm.token] }), me.confirm({ code: confirm.code })])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(me.recorded.filter(({ tool }) => tool === 'trash_item')).toHaveLength(1)
  })

  test('a write whose run cannot be recorded is not done, and its token is not spent', async () => {
    const { me, id, confirm } = await askToTrash()
    const record = () => Promise.reject(new Error('no run'))
    await expect(me.confirm({ tokens: [confirm.token] }, { record })).rejects.toThrow('no run')
    expect(await deletedAt(me, id)).toBeNull()
    expect((await me.confirm({ tokens: [confirm.token] }))[0]?.action?.status).toBe('done')
    await expect(me.call('create_note', { title: 'Lost' }, { record })).rejects.toThrow('no run')
    expect((await me.call('get_note', { title: 'Lost' })).fault?.code).toBe('not_found')
  })

  test('is not done in a chat that only reads, nor outside of its scope', async () => {
    const { me, id, confirm } = await askToTrash()
    const [denied] = await me.confirm({ tokens: [confirm.token] }, { mode: 'read' })
    expect(denied).toMatchObject({ fault: { code: 'not_found' }, action: { status: 'denied' } })
    const [hidden] = await me.confirm({ tokens: [confirm.token] }, { scope: { ...OPEN, types: ['task'] } })
    expect(hidden?.action?.status).toBe('failed')
    expect(await deletedAt(me, id)).toBeNull()
  })

  test('can be cancelled', async () => {
    const { me, id, confirm } = await askToTrash()
    expect(await tools.executor.cancel(me.context(), confirm.code)).toEqual({
      summary: 'Move the note "Old plan" to the trash',
    })
    await expect(tools.executor.cancel(me.context(), confirm.code)).rejects.toMatchObject(unknown)
    await expect(me.confirm({ tokens: [confirm.token] })).rejects.toMatchObject(unknown)
    expect(await deletedAt(me, id)).toBeNull()
  })

  test('the newest make room, and what expired is dropped on the way and by the job', async () => {
    const { me, id, confirm } = await askToTrash()
    for (let i = 0; i < MAX_WAITING; i++) ok(await me.call('trash_item', { type: 'note', id }))
    await expect(me.confirm({ tokens: [confirm.token] })).rejects.toMatchObject(unknown)
    const { workspace } = me.context().session
    const mine = 'SELECT count(*) AS n FROM chat_confirmations WHERE workspace = $1'
    expect(await tools.world.db.get(mine, [workspace.id])).toEqual({ n: MAX_WAITING })
    tools.world.clock.now += 10 * MINUTE
    ok(await me.call('trash_item', { type: 'note', id }))
    expect(await tools.world.db.get(mine, [workspace.id])).toEqual({ n: 1 })
    await tools.sweep()
    expect(await rows()).toEqual({ n: 1 })
    tools.world.clock.now += 10 * MINUTE
    await tools.sweep()
    expect(await rows()).toEqual({ n: 0 })
  })
})

describe('must be confirmed', () => {
  const body = '# Plan\n\nOne.\n\nTwo.\n'

  test('replacing a whole body, also by its only heading', async () => {
    const me = tools.caller()
    const id = String(ok(await me.call('create_note', { title: 'Plan', body })).result.id)
    const byHeading = ok(await me.call('update_note', { id, replace: 'New.', heading: 'Plan' }))
    const whole = ok(await me.call('update_note', { id, replace: 'New.' }))
    expect([byHeading.action?.status, whole.action?.status]).toEqual(['pending', 'pending'])
    expect((await me.send('GET', `/api/notes/${id}`)).body).toBe(body)
    const token = String(whole.action?.confirm?.token)
    const [done] = await me.confirm({ tokens: [token] })
    expect((await me.send('GET', `/api/notes/${id}`)).body).toBe('New.')
    await me.undo(done?.action)
    expect((await me.send('GET', `/api/notes/${id}`)).body).toBe(body)
  })

  test('every update once a run with a model has read, but no create', async () => {
    const me = tools.caller()
    const note = String(ok(await me.call('create_note', { title: 'Plan', body }, { hasReadText: true })).result.id)
    const task = String(ok(await me.call('create_task', { title: 'Call' }, { hasReadText: true })).result.id)
    const asked = [
      ok(await me.call('update_note', { id: note, append: 'x' }, { hasReadText: true })),
      ok(await me.call('update_task', { id: task, due: '2026-05-01T09:00' }, { hasReadText: true })),
    ]
    expect(asked.map(({ action }) => action?.status)).toEqual(['pending', 'pending'])
    const tokens = asked.map(({ action }) => String(action?.confirm?.token))
    // Times stay on the clock of whoever asked for them.
    const outcomes = await me.confirm({ tokens }, { timeZone: 'America/New_York', hasReadText: true })
    expect(outcomes.map(({ action }) => action?.status)).toEqual(['done', 'done'])
    expect((await me.send('GET', `/api/tasks/${task}`)).due).toEqual({
      date: '2026-05-01',
      time: '09:00',
      time_zone: 'Europe/Berlin',
    })
    for (const { action } of outcomes) await me.undo(action)
    expect((await me.send('GET', `/api/tasks/${task}`)).due).toBeNull()
  })

  test('every move to the trash, of tasks and facts as well, and all come back', async () => {
    const me = tools.caller()
    const task = String(ok(await me.call('create_task', { title: 'Call' })).result.id)
    const cards = [{ front: 'a', back: 'b' }]
    const { result } = ok(await me.call('create_cards', { deck: 'D', cards }))
    const [fact] = result.items as { id: string }[]
    const things = [
      { type: 'task', id: task, path: `/api/tasks/${task}`, member: 'deleted_at' },
      { type: 'fact', id: fact?.id, path: `/api/flashcards/facts/${fact?.id}`, member: 'deleted_at' },
    ]
    for (const { type, id, path, member } of things) {
      const asked = ok(await me.call('trash_item', { type, id }))
      const [done] = await me.confirm({ code: String(asked.action?.confirm?.code) })
      expect((await me.send('GET', path))[member]).not.toBeNull()
      await me.undo(done?.action)
      expect((await me.send('GET', path))[member]).toBeNull()
    }
  })
})

test('a workspace that is full refuses what is made, and still lets things be moved to the trash', async () => {
  const full = await makeTools({ WORKSPACE_RESOURCES: '1' })
  const me = full.caller()
  const id = String(ok(await me.call('create_note', { title: 'Only' })).result.id)
  const refused = await me.call('create_task', { title: 'One more' })
  expect(refused).toMatchObject({ fault: { code: 'quota_exceeded' }, action: { status: 'failed', undo: null } })
  expect(me.recorded).toHaveLength(1)
  const asked = ok(await me.call('trash_item', { type: 'note', id }))
  const [done] = await me.confirm({ code: String(asked.action?.confirm?.code) })
  expect(done?.action?.status).toBe('done')
  await full.close()
})
