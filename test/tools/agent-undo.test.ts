import { afterAll, describe, expect, test } from 'bun:test'
import type { ToolContext, ToolOutcome } from '../../src/tools/tool'
import { findUndo, KEPT_UNDOS, keepAgentUndo, keepUndo, UNDO_MS } from '../../src/tools/undos'
import { type Caller, makeTools, OPEN, ok } from './support'

/** What agents did is undone by ids. */

const tools = await makeTools()
afterAll(tools.close)

/** A caller whose changes are kept under ids, as those of agents are. */
function makeAgent() {
  const me = tools.caller()
  let count = 0
  let last = ''
  const record: ToolContext['record'] = async (tx, action) => {
    last = `undo-${++count}`
    await keepAgentUndo(tx, last, [action], tools.world.clock.now)
  }
  /** Calls a tool, and confirms what waits. */
  async function act(tool: string, args: object, changes: Partial<ToolContext> = {}): Promise<ToolOutcome> {
    const outcome = ok(await me.call(tool, args, { record, ...changes }))
    const token = outcome.action?.confirm?.token
    if (token === undefined) return outcome
    const [done] = await me.confirm({ tokens: [token] }, { record })
    if (!done) throw new Error('nothing was confirmed')
    return ok(done)
  }
  /** Does something, and returns the id that undoes it. */
  const keep = async (tool: string, args: object): Promise<string> => {
    await act(tool, args)
    return last
  }
  return { me, act, keep, record }
}

const idOf = ({ result }: Pick<ToolOutcome, 'result'>) => String(result.id)
const undoFault = async (me: Caller, args: object) => (await me.call('undo', args)).fault?.code

const titleOf = ({ title }: { title: string }) => title

/** Makes a note, and returns what reads its text, null if it is in the trash. */
async function makeNote({ me, act }: ReturnType<typeof makeAgent>, body = 'One.') {
  const id = idOf(await act('create_note', { title: 'Plan', body }))
  const text = async () => {
    const note = await me.send('GET', `/api/notes/${id}`)
    return note.deleted_at === null ? note.body : null
  }
  return { id, text, add: (content: string) => ({ id, edits: [{ op: 'append', content, join: 'none' }] }) }
}

describe('an undo', () => {
  test('of one change that needs no confirmation is done at once', async () => {
    const { me, act, keep } = makeAgent()
    const id = idOf(await act('create_task', { title: 'Call' }))
    const undo = await keep('update_task', { id, title: 'Call Ana' })
    const done = ok(await me.call('undo', { ids: [undo] }))
    expect(done.result).toEqual({ status: 'done', undone: 1, ids: [undo] })
    expect(done.action?.summary).toBe('Changed back the title of the task "Call"')
    expect((await me.send('GET', `/api/tasks/${id}`)).title).toBe('Call')
  })

  test('of one change of a text waits, since it replaces the whole text', async () => {
    const agent = makeAgent()
    const { text, add } = await makeNote(agent)
    const ids = [await agent.keep('update_note', add(' Two.'))]
    expect(ok(await agent.me.call('undo', { ids })).result.status).toBe('pending')
    expect(await text()).toBe('One. Two.')
    await agent.act('undo', { ids })
    expect(await text()).toBe('One.')
  })

  test('of several waits, shows all, and undoes the newest first', async () => {
    const agent = makeAgent()
    const { id, text, add } = await makeNote(agent)
    const first = await agent.keep('update_note', add(' Two.'))
    const second = await agent.keep('update_note', add(' Three.'))
    const asked = ok(await agent.me.call('undo', { ids: [first, second] }))
    expect(asked.result.status).toBe('pending')
    expect(await text()).toBe('One. Two. Three.')
    const done = await agent.act('undo', { ids: [first, second, first] })
    expect(done.result).toMatchObject({ undone: 2, ids: [second, first] })
    expect(await text()).toBe('One.')
    expect((await agent.me.send('GET', `/api/notes/${id}`)).revision).toBe(5)
  })

  test('since a change undoes that one and all later ones of agents, not those of chat', async () => {
    const agent = makeAgent()
    const { me, act, keep } = agent
    const before = idOf(await act('create_note', { title: 'Before' }))
    const since = await keep('create_note', { title: 'First' })
    const chat = ok(await me.call('create_note', { title: 'Of chat' }))
    await keepUndo(me.context().session, 'Created it.', [chat.action as never], tools.world.clock.now)
    await keep('create_task', { text: 'a\nb' })
    await keep('create_cards', { deck: 'Geo', cards: [{ front: 'a', back: 'b' }] })
    await keep('create_cards', { deck: 'Geo', cards: [{ front: 'c', back: 'd' }] })
    const done = await act('undo', { since })
    expect(done.result.undone).toBe(5)
    const { items } = await me.send('GET', '/api/notes')
    expect(items.map(({ id }: { id: string }) => id).toSorted()).toEqual([before, idOf(chat)].toSorted())
    expect((await me.send('GET', '/api/tasks')).items).toEqual([])
    expect((await me.send('GET', '/api/flashcards/decks')).items).toEqual([])
    expect(await findUndo(me.context().session, ['Created it.'], tools.world.clock.now)).not.toBeNull()
  })

  test('is undone itself, and an undo since then counts it', async () => {
    const agent = makeAgent()
    const { text, add } = await makeNote(agent)
    const first = await agent.keep('update_note', add(' Two.'))
    const undo = await agent.keep('undo', { ids: [first] })
    expect(await text()).toBe('One.')
    const again = await agent.keep('undo', { ids: [undo] })
    expect(await text()).toBe('One. Two.')
    await agent.keep('update_note', add(' Three.'))
    await agent.act('undo', { since: again })
    expect(await text()).toBe('One.')
    expect(await undoFault(agent.me, { since: again })).toBe('not_found')
    const redone = await agent.keep('update_note', add(' Four.'))
    await agent.act('undo', { ids: [await agent.keep('undo', { ids: [redone] })] })
    expect(await text()).toBe('One. Four.')
    await agent.act('undo', { since: redone })
    expect(await text()).toBe('One.')
  })

  test('since a change leaves out what was undone already', async () => {
    const agent = makeAgent()
    const { text, add } = await makeNote(agent)
    const first = await agent.keep('update_note', add(' Two.'))
    const second = await agent.keep('update_note', add(' Three.'))
    await agent.act('undo', { ids: [second] })
    await agent.keep('update_note', add(' Four.'))
    expect(await text()).toBe('One. Two. Four.')
    const done = await agent.act('undo', { since: first })
    expect(done.result.undone).toBe(2)
    expect(await text()).toBe('One.')
    expect(await undoFault(agent.me, { since: first })).toBe('not_found')
  })

  test('of an answer of a card takes it back and gives it again', async () => {
    const agent = makeAgent()
    const { me, act, keep } = agent
    await act('create_cards', { deck: 'Geo', cards: [{ front: 'a', back: 'b' }] })
    const { items } = ok(await me.call('list_due_cards', {})).result as { items: { id: string }[] }
    const id = String(items[0]?.id)
    const state = async () => {
      const { reps, due_at, stability } = await me.send('GET', `/api/flashcards/cards/${id}`)
      return { reps, due_at, stability }
    }
    const fresh = await state()
    const good = await keep('answer_card', { id, rating: 'good' })
    const answered = await state()
    const undo = await keep('undo', { ids: [good] })
    expect(await state()).toEqual(fresh)
    await act('undo', { ids: [undo] })
    expect(await state()).toEqual(answered)
    expect(await undoFault(me, { ids: [good] })).toBe('precondition_failed')
    tools.world.clock.now += 60_000
    await keep('answer_card', { id, rating: 'easy' })
    await act('undo', { since: good })
    expect(await state()).toEqual(fresh)
  })

  test('of every tool brings back what there was', async () => {
    const agent = makeAgent()
    const { me, act, keep } = agent
    const { id, text } = await makeNote(agent, '# Plan\n\nOne.\n\n## Notes\n\nTwo.\n')
    const task = idOf(await act('create_task', { title: 'Call', due: '2026-03-03' }))
    const daily = idOf(await act('create_task', { text: 'Water every day' }))
    const state = async () => {
      const note = await me.send('GET', `/api/notes/${id}`)
      const found = [await me.send('GET', `/api/tasks/${task}`), await me.send('GET', `/api/tasks/${daily}`)]
      const tasks = found.map(({ title, status, due, labels, deleted_at }) => ({
        title,
        status,
        due,
        labels,
        deleted_at,
      }))
      return { text: await text(), title: note.title, tags: note.tags, folder: note.folder, tasks }
    }
    const calls: [tool: string, args: object][] = [
      ['update_note', { id, append: 'More.' }],
      ['update_note', { id, replace: 'All new.' }],
      ['update_note', { id, title: 'Trip', tag: 'x' }],
      ['update_note', { id, edits: [{ op: 'delete', heading: ['Notes'] }] }],
      ['update_task', { id: task, title: 'Call Ana', due: null, tag: 'home' }],
      ['update_task', { id: task, done: true }],
      ['update_task', { id: task, done: true }],
      ['update_task', { id: daily, done: true }],
      ['trash_item', { type: 'task', id: task }],
      ['trash_item', { type: 'note', id }],
    ]
    const before = await state()
    for (const [tool, args] of calls) {
      const undo = await keep(tool, args)
      expect([tool, args, await state()]).not.toEqual([tool, args, before])
      await act('undo', { ids: [undo] })
      expect([tool, args, await state()]).toEqual([tool, args, before])
    }
    const [since = ''] = [await keep('update_note', { id, edits: [{ op: 'append', content: 'x' }] })]
    for (const [tool, args] of calls.slice(0, 5)) await keep(tool, args).catch(() => '')
    await act('undo', { since })
    expect(await state()).toEqual(before)
  })
})

describe('nothing is undone', () => {
  test('if an id is unknown, of another workspace or too old, or none or both are given', async () => {
    const [agent, other] = [makeAgent(), makeAgent()]
    const { text, add } = await makeNote(agent)
    const undo = await agent.keep('update_note', add(' Two.'))
    for (const args of [{ ids: ['nothing'] }, { ids: [undo, 'nothing'] }, { since: 'nothing' }])
      expect(await undoFault(agent.me, args)).toBe('not_found')
    expect(await undoFault(other.me, { ids: [undo] })).toBe('not_found')
    for (const args of [{}, { ids: [undo], since: undo }, { ids: [] }, { steps: [] }, { ids: Array(51).fill(undo) }])
      expect([args, await undoFault(agent.me, args)]).toEqual([args, 'invalid_request'])
    expect(await text()).toBe('One. Two.')
    tools.world.clock.now += UNDO_MS
    expect(await undoFault(agent.me, { ids: [undo] })).toBe('not_found')
    expect(await undoFault(agent.me, { since: undo })).toBe('not_found')
  })

  test('if any part was changed since, or between two of the changes', async () => {
    const agent = makeAgent()
    const { id, text, add } = await makeNote(agent)
    const task = await agent.keep('create_task', { title: 'Call' })
    const first = await agent.keep('update_note', add(' Two.'))
    await agent.me.send('PATCH', `/api/notes/${id}`, { body: 'By hand.' })
    expect(await undoFault(agent.me, { ids: [first] })).toBe('precondition_failed')
    expect(await undoFault(agent.me, { since: task })).toBe('precondition_failed')
    const second = await agent.keep('update_note', add(' Three.'))
    for (const args of [{ ids: [first, second] }, { since: first }, { since: task }])
      expect(await undoFault(agent.me, args)).toBe('precondition_failed')
    expect(await text()).toBe('By hand. Three.')
    expect((await agent.me.send('GET', '/api/tasks')).items).toHaveLength(1)
    // What does not touch it can be undone.
    await agent.act('undo', { ids: [second, task] })
    expect(await text()).toBe('By hand.')
  })

  test('where only reading is allowed, or outside of the scope', async () => {
    const agent = makeAgent()
    const { text, add } = await makeNote(agent)
    const undo = await agent.keep('update_note', add(' Two.'))
    const denied = await agent.me.call('undo', { ids: [undo] }, { mode: 'read' })
    expect(denied).toMatchObject({ fault: { code: 'not_found' }, action: { status: 'denied' } })
    for (const scope of [{ types: ['task'] }, { tags: ['x'] }, { ids: [] }])
      expect((await agent.me.call('undo', { ids: [undo] }, { scope: { ...OPEN, ...scope } })).fault?.code).toBe(
        'not_found',
      )
    expect(await text()).toBe('One. Two.')
  })

  test('of more than one call undoes', async () => {
    const agent = makeAgent()
    const since = await agent.keep('create_task', { title: 'First' })
    for (let i = 0; i < 3; i++) await agent.keep('create_task', { text: 'x\n'.repeat(20) })
    const refused = await agent.me.call('undo', { since })
    expect(refused.fault).toMatchObject({ code: 'invalid_request' })
    const [, later = ''] = /since: (undo-\d+)$/.exec(refused.fault?.detail ?? '') ?? []
    expect(later).toBe('undo-3')
    const titles = async () => (await agent.me.send('GET', '/api/tasks?limit=200')).items.map(titleOf)
    expect(await titles()).toHaveLength(61)
    await agent.act('undo', { since: later })
    expect(await titles()).toHaveLength(21)
    // What is left is what was undone, with the undo that did it, and the rest.
    await agent.act('undo', { since })
    expect(await titles()).toEqual([])
    const { id, add } = await makeNote(agent)
    const ids: string[] = []
    for (let i = 0; i < 17; i++) ids.push(await agent.keep('update_note', add(' x')))
    expect(await undoFault(agent.me, { ids })).toBe('invalid_request')
    await agent.act('undo', { ids: ids.slice(1) })
    expect((await agent.me.send('GET', `/api/notes/${id}`)).body).toBe('One. x')
  })
})

describe('what is kept', () => {
  const kept = async ({ me }: ReturnType<typeof makeAgent>) => {
    const sql = 'SELECT count(*) AS n, sum(octet_length(steps)) AS bytes FROM chat_undos WHERE workspace = $1'
    return tools.world.db.get<{ n: number; bytes: number }>(sql, [me.context().session.workspace.id])
  }

  test('is bounded in number and in bytes, and the newest stays', async () => {
    const agent = makeAgent()
    const { session } = agent.me.context()
    const step = (size: number) => ({
      tool: 'update_task',
      result: null,
      undo: { method: 'PATCH', path: '/api/tasks/x', body: { title: 'x'.repeat(size) }, if_match: null, next: [] },
    })
    const put = (id: string, size: number) => keepAgentUndo(session, id, [step(size) as never], tools.world.clock.now)
    for (let i = 0; i < KEPT_UNDOS.count + 5; i++) await put(`small-${i}`, 10)
    expect((await kept(agent))?.n).toBe(KEPT_UNDOS.count)
    for (let i = 0; i < 20; i++) await put(`large-${i}`, 30_000)
    expect((await kept(agent))?.bytes).toBeLessThanOrEqual(KEPT_UNDOS.bytes)
    expect((await kept(agent))?.n).toBe(8)
    await put('huge', KEPT_UNDOS.bytes + 1)
    expect((await kept(agent))?.n).toBe(1)
    await put('last', 1)
    expect((await kept(agent))?.n).toBe(1)
  })

  test('is nothing of what changed nothing, and no undo of chat by its id', async () => {
    const agent = makeAgent()
    const { id } = await makeNote(agent)
    await agent.act('update_note', { id, edits: [{ op: 'replace', text: 'One.', content: 'One.' }] })
    expect((await kept(agent))?.n).toBe(1)
    const { session, now } = agent.me.context()
    expect(await findUndo(session, ['undo-1'], now)).toBeNull()
    await keepUndo(session, 'undo-9', [agent.me.recorded.at(0) as never].filter(Boolean), now)
    expect(await undoFault(agent.me, { ids: ['undo-9'] })).toBe('not_found')
  })
})
