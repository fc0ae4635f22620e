import { afterAll, expect, test } from 'bun:test'
import { listeningWorld, Visitor } from '../support/visitor'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { openLegacy, openModern } from './connect'
import { addNote } from './messages'

const world = await listeningWorld({ ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '10000' })
afterAll(() => world.close())

const TEMPLATE = { ref: { type: 'ref/resource' as const, uri: 'satchel://note/{id}' } }

const addNoteOf = (key: string, title: string) => addNote(new Visitor(world.base, key), { title, body: '# Hello' })

test.each([
  ['newest', openModern, 701],
  ['older', openLegacy, 702],
] as const)('the client of the %s revision lists, reads, completes and prompts', async (_, open, seed) => {
  const key = makeKey(seed)
  const { id } = await addNoteOf(key, 'Weekly plan')
  const client = await open(world.base, key)
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual(['satchel://agenda/today', `satchel://note/${id}`])
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([TEMPLATE.ref.uri, 'satchel://daily/{date}'])
  const { completion } = await client.complete({ ...TEMPLATE, argument: { name: 'id', value: 'week' } })
  expect(completion.values).toEqual(['Weekly plan'])
  const [value = ''] = completion.values
  const { contents } = await client.readResource({ uri: `satchel://note/${encodeURIComponent(value)}` })
  expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: '# Hello' }])
  const code = await client.readResource({ uri: 'satchel://note/none' }).catch((error) => error.code)
  expect(code).toBe(open === openModern ? -32602 : -32002)
  const { prompts } = await client.listPrompts()
  for (const { name } of prompts) {
    const { messages } = await client.getPrompt({ name, arguments: name.startsWith('make') ? { note: value } : {} })
    expect(messages.length).toBeGreaterThan(1)
  }
})

test('the client of the newest revision hears of changes until it closes', async () => {
  const key = makeKey(703)
  const { id } = await addNoteOf(key, 'Plan')
  const client = await openModern(world.base, key)
  const heard: string[] = []
  let hear = () => {}
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri)
    hear()
  })
  const uri = `satchel://note/${id}`
  const subscription = await client.listen({ resourceSubscriptions: [uri], toolsListChanged: true })
  expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [uri] })
  const next = new Promise<void>((resolve) => {
    hear = resolve
  })
  await new Visitor(world.base, key).send({ method: 'PATCH', path: `/api/notes/${id}`, body: { body: 'changed' } })
  await next
  expect(heard).toEqual([uri])
  expect((await client.readResource({ uri })).contents).toMatchObject([{ text: 'changed' }])
  await subscription.close()
  expect(await subscription.closed).toBe('local')
})

test('the client of the newest revision knows a stream that the server ends', async () => {
  await using mortal = await makeWorld()
  const client = await openModern(mortal.listen(), makeKey(704))
  const subscription = await client.listen({ resourcesListChanged: true })
  mortal.endStreams()
  expect(await subscription.closed).toBe('graceful')
})
