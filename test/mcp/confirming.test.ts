import { afterAll, describe, expect, test } from 'bun:test'
import { listeningWorld, type Visitor } from '../support/visitor'
import { MANY_CALLERS } from '../support/world'
import { connectLegacy, connectModern } from './connect'
import { messageOf } from './messages'

/** What waits for the user: asked by the client where it can, else confirmed in a chat. No model confirms its own calls. */

const world = await listeningWorld({ ...MANY_CALLERS, API_LIMIT_PER_HOUR: '10000' })
afterAll(() => world.close())

const { newcomer } = world

const FORMS = { elicitation: { form: {} } }

interface Sent {
  readonly capabilities?: object
  readonly more?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls a tool as a client of 2026-07-28 does. */
async function call(
  me: Visitor,
  name: string,
  args: object,
  { capabilities = FORMS, more = {}, headers = {} }: Sent = {},
) {
  const message = messageOf('modern', 'tools/call', { name, arguments: args, ...more })
  const params = { ...message.body.params, _meta: { ...Object(message.body.params._meta) } }
  params._meta['io.modelcontextprotocol/clientCapabilities'] = capabilities
  const response = await me.send({
    method: 'POST',
    path: '/api/mcp',
    headers: { ...message.headers, ...headers },
    body: { ...message.body, params },
  })
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  return { response, ...((await response.json()) as { result?: any; error?: any }) }
}

async function addNote(me: Visitor, body = 'One\nTwo\nThree'): Promise<string> {
  const made = await me.send({ method: 'POST', path: '/api/notes', body: { title: 'Plan', body } })
  return (await made.json()).id
}
async function withNote() {
  const me = newcomer()
  return { me, id: await addNote(me) }
}
const bodyOf = async (me: Visitor, id: string) => (await (await me.send({ path: `/api/notes/${id}` })).json()).body
const isTrashed = async (me: Visitor, id: string) =>
  (await (await me.send({ path: `/api/notes/${id}` })).json()).deleted_at !== null

const answerWith = (action: string, requestState: unknown) => ({
  more: { inputResponses: { confirm: { action, ...(action === 'accept' && { content: {} }) } }, requestState },
})

describe('a client that can ask its user', () => {
  test('gets a question with the change, and an acceptance does it', async () => {
    const { me, id } = await withNote()
    const asked: string[] = []
    const answer = (message: string) => {
      asked.push(message)
      return { action: 'accept' as const, content: {} }
    }
    const client = await connectModern(world.base, me.key ?? '', { answer })
    const { structuredContent, isError } = await client.call('update_note', { id, replace: 'One\n2\nThree' })
    expect([isError ?? false, structuredContent.status]).toEqual([false, 'done'])
    expect(asked).toEqual([expect.stringContaining('"Plan"')])
    expect(asked[0]).toContain('- Two\n')
    expect(asked[0]).toContain('+ 2\n')
    expect(await bodyOf(me, id)).toBe('One\n2\nThree')
    expect(structuredContent.undo_id).toBeString()
  })

  test.each(['decline', 'cancel'] as const)('does nothing on %s, and the question is spent', async (action) => {
    const { me, id } = await withNote()
    const client = await connectModern(world.base, me.key ?? '', { answer: () => ({ action }) })
    const { isError, content } = await client.call('trash_item', { type: 'note', id })
    expect([isError, content[0]?.text]).toEqual([true, 'declined: The user said no. Nothing was changed.'])
    expect(await isTrashed(me, id)).toBeFalse()
    const { result } = await call(me, 'trash_item', { type: 'note', id })
    const refused = await call(me, 'trash_item', { type: 'note', id }, answerWith(action, result.requestState))
    expect(refused.result.isError).toBeTrue()
    const late = await call(me, 'trash_item', { type: 'note', id }, answerWith('accept', result.requestState))
    expect(late.error).toMatchObject({ code: -32602, data: { code: 'confirmation_unknown' } })
    expect(await isTrashed(me, id)).toBeFalse()
  })

  test('may answer once: the same state does nothing again', async () => {
    const { me, id } = await withNote()
    const { result } = await call(me, 'trash_item', { type: 'note', id })
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { confirm: { method: 'elicitation/create' } },
    })
    const first = await call(me, 'trash_item', { type: 'note', id }, answerWith('accept', result.requestState))
    expect(first.result.structuredContent.status).toBe('done')
    await me.send({ method: 'POST', path: `/api/notes/${id}/restore` })
    const again = await call(me, 'trash_item', { type: 'note', id }, answerWith('accept', result.requestState))
    expect(again.error).toMatchObject({ code: -32602, data: { code: 'confirmation_unknown' } })
    expect(await isTrashed(me, id)).toBeFalse()
  })

  test('that accepts twice at the same time does it once', async () => {
    const { me, id } = await withNote()
    const { result } = await call(me, 'update_note', { id, replace: 'x' })
    const accepted = answerWith('accept', result.requestState)
    const all = await Promise.all([1, 2, 3, 4].map(() => call(me, 'update_note', { id, replace: 'x' }, accepted)))
    expect(all.filter((one) => one.result?.structuredContent?.status === 'done')).toHaveLength(1)
    expect(
      all
        .map((one) => [one.response.status, one.error?.code ?? 0])
        .toSorted()
        .slice(0, 3),
    ).toEqual(Array(3).fill([200, -32602]))
    expect((await (await me.send({ path: `/api/notes/${id}` })).json()).revision).toBe(2)
  })

  test('is asked again if its retry has no answer, or one of another form', async () => {
    const { me, id } = await withNote()
    for (const inputResponses of [{}, { other: { action: 'accept' } }, { confirm: { action: 'maybe' } }, undefined]) {
      const { result } = await call(me, 'trash_item', { type: 'note', id })
      const more = { requestState: result.requestState, ...(inputResponses && { inputResponses }) }
      const again = await call(me, 'trash_item', { type: 'note', id }, { more })
      expect(again.result.resultType).toBe('input_required')
      expect(again.result.requestState).not.toBe(result.requestState)
    }
    expect(await isTrashed(me, id)).toBeFalse()
  })

  test('cannot accept with a state that was changed, of another call, of another key, or too late', async () => {
    const [me, other] = [newcomer(), newcomer()]
    const id = await addNote(me)
    const { result } = await call(me, 'trash_item', { type: 'note', id })
    const state: string = result.requestState
    const refuse = async (by: Visitor, name: string, args: object, requestState: unknown) => {
      const { error } = await call(by, name, args, answerWith('accept', requestState))
      expect([name, error?.code]).toEqual([name, -32602])
    }
    await refuse(me, 'trash_item', { type: 'note', id }, `${state.slice(0, -2)}xx`)
    await refuse(me, 'trash_item', { type: 'note', id }, '')
    await refuse(me, 'trash_item', { type: 'note', id }, 7)
    await refuse(me, 'trash_item', { type: 'task', id }, state)
    await refuse(me, 'update_note', { id, replace: 'x' }, state)
    await refuse(other, 'trash_item', { type: 'note', id }, state)
    expect(await isTrashed(me, id)).toBeFalse()
    world.clock.now += 11 * 60 * 1000
    await refuse(me, 'trash_item', { type: 'note', id }, state)
    expect(await isTrashed(me, id)).toBeFalse()
  })

  test('is told if what it asks about has changed meanwhile', async () => {
    const { me, id } = await withNote()
    const { result } = await call(me, 'trash_item', { type: 'note', id })
    await me.send({ method: 'PATCH', path: `/api/notes/${id}`, body: { title: 'Another' } })
    const late = await call(me, 'trash_item', { type: 'note', id }, answerWith('accept', result.requestState))
    expect(late.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('precondition_failed') }],
    })
    expect(await isTrashed(me, id)).toBeFalse()
  })

  test('shows a hostile text only as quoted lines', async () => {
    const me = newcomer()
    const id = await addNote(me, 'One\rDo it?\u2028Yes\u202eoN')
    await me.send({ method: 'PATCH', path: `/api/notes/${id}`, body: { title: 'A\u202ez" stays. "B' } })
    const { result } = await call(me, 'update_note', { id, replace: 'x' })
    const { message } = result.inputRequests.confirm.params
    const lines: string[] = message.split('\n')
    expect(lines[0]).toEndWith('the note "A\\u202ez\\" stays. \\"B"')
    expect(lines.slice(1)).toEqual(['- One', '- Do it?', '- Yes\\u202eoN', '+ x', 'Do it?'])
  })

  test('is not asked for what needs no confirmation', async () => {
    const { me, id } = await withNote()
    for (const [name, args] of [
      ['update_note', { id, append: 'Four' }],
      ['create_note', { title: 'New' }],
      ['get_note', { id }],
    ] as const)
      expect((await call(me, name, args)).result.resultType).toBe('complete')
  })
})

describe('a client that cannot ask its user', () => {
  const CANNOT = [{}, { sampling: {} }, { elicitation: { url: {} } }]

  /** What the user's own chat shows of what waits. */
  const askWhatWaits = async (me: Visitor) => {
    const body = { messages: [{ role: 'user', content: 'What is waiting?' }] }
    return (await me.send({ method: 'POST', path: '/api/chat', body })).json()
  }
  const say = (by: Visitor, content: string) =>
    by.send({ method: 'POST', path: '/api/chat', body: { messages: [{ role: 'user', content }] } })

  test.each(CANNOT)('with %p learns how the user confirms, and gets neither token nor code', async (capabilities) => {
    const { me, id } = await withNote()
    const { result } = await call(me, 'trash_item', { type: 'note', id }, { capabilities })
    const { status, waits_until, after_reading } = result.structuredContent
    expect([status, after_reading, result.isError ?? false]).toEqual(['pending', true, false])
    expect(result.content[0].text).toContain(`until ${waits_until}, and you cannot confirm it`)
    const { message, actions } = await askWhatWaits(me)
    const { token, code } = actions[0].confirm
    expect(message.content).toBe(
      `This is waiting for your confirmation. Move the note "Plan" to the trash\n\nReply: confirm ${code}`,
    )
    expect(JSON.stringify(result)).not.toMatch(/token|code|[\w-]{43}/)
    expect(await isTrashed(me, id)).toBeFalse()
    const confirmed = await me.send({
      method: 'POST',
      path: '/api/chat',
      body: { messages: [{ role: 'user', content: 'Yes' }], confirm: [token] },
    })
    expect([confirmed.status, await isTrashed(me, id)]).toEqual([200, true])
    expect((await askWhatWaits(me)).message.content).toBe('Nothing is waiting for your confirmation.')
  })

  test.each(CANNOT)('with %p cannot answer what it could not ask', async (capabilities) => {
    const { me, id } = await withNote()
    const args = { type: 'note', id }
    await call(me, 'trash_item', args, { capabilities })
    const { token } = (await askWhatWaits(me)).actions[0].confirm
    const answered = await call(me, 'trash_item', args, { capabilities, ...answerWith('accept', token) })
    expect(answered.result.structuredContent.status).toBe('pending')
    expect(await isTrashed(me, id)).toBeFalse()
  })

  test('of 2025 has no answers, even if it sends one', async () => {
    const { me, id } = await withNote()
    const asked = await call(me, 'trash_item', { type: 'note', id })
    const { more } = answerWith('accept', asked.result.requestState)
    const params = { name: 'trash_item', arguments: { type: 'note', id }, ...more }
    const sent = await me.send({ method: 'POST', path: '/api/mcp', ...messageOf('legacy', 'tools/call', params) })
    expect((await sent.json()).result.structuredContent.status).toBe('pending')
    expect(await isTrashed(me, id)).toBeFalse()
  })

  test('of 2025 confirms with the code in a chat, and of no other key', async () => {
    const [me, other] = [newcomer(), newcomer()]
    const id = await addNote(me)
    const client = await connectLegacy(world.base, me.key ?? '')
    await client.call('trash_item', { type: 'note', id })
    await client.call('update_note', { id, replace: 'New' })
    expect((await askWhatWaits(other)).actions).toEqual([])
    const { message, actions } = await askWhatWaits(me)
    expect(message.content).toMatch(
      /^This is waiting for your confirmation\.\n\nMove the note "Plan" .*confirm \w{6}\nReplace/,
    )
    const [trash] = actions.map(({ confirm }: { confirm: { code: string } }) => `confirm ${confirm.code}`)
    expect((await say(other, trash)).status).toBe(400)
    expect(await isTrashed(me, id)).toBeFalse()
    expect((await say(me, trash)).status).toBe(200)
    expect(await isTrashed(me, id)).toBeTrue()
    // What can no longer be done waits no more.
    expect((await askWhatWaits(me)).actions).toEqual([])
  })

  test('finds no tool that confirms', async () => {
    const client = await connectLegacy(world.base, newcomer().key ?? '')
    const { tools } = await client.list()
    expect(tools.filter(({ name, inputSchema }) => /confirm/.test(name + JSON.stringify(inputSchema)))).toEqual([])
  })
})

describe('with an Idempotency-Key', () => {
  const ONCE = { 'Idempotency-Key': 'one' }

  test('the answer to a question is no other request, and a repeat of either changes nothing', async () => {
    const { me, id } = await withNote()
    const asked = await call(me, 'trash_item', { type: 'note', id }, { headers: ONCE })
    expect(asked.result.resultType).toBe('input_required')
    const accepted = { ...answerWith('accept', asked.result.requestState), headers: ONCE }
    const done = await call(me, 'trash_item', { type: 'note', id }, accepted)
    expect(done.result.structuredContent.status).toBe('done')
    await me.send({ method: 'POST', path: `/api/notes/${id}/restore` })
    for (const sent of [accepted, { headers: ONCE }]) {
      const { response, result } = await call(me, 'trash_item', { type: 'note', id }, sent)
      expect([response.headers.get('Idempotency-Replayed'), result]).toEqual(['true', done.result])
    }
    expect(await isTrashed(me, id)).toBeFalse()
  })
})
