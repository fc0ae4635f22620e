import { afterAll, expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { listeningWorld, Visitor } from '../support/visitor'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'

const world = await listeningWorld({ ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '10000' })
afterAll(() => world.close())

const WHO = { name: 'test', version: '1' }
const TEMPLATE = { ref: { type: 'ref/resource' as const, uri: 'satchel://note/{id}' } }

async function addNote(key: string, title: string): Promise<{ id: string }> {
  return (
    await new Visitor(world.base, key).send({ method: 'POST', path: '/api/notes', body: { title, body: '# Hello' } })
  ).json()
}

function target(key: string, base: string = world.base): [URL, { requestInit: { headers: Record<string, string> } }] {
  return [new URL('/api/mcp', base), { requestInit: { headers: { 'X-API-Key': key } } }]
}

/** The client of the library, by the newest revision. */
async function newClient(key: string, base?: string): Promise<Client> {
  const client = new Client(WHO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new StreamableHTTPClientTransport(...target(key, base)))
  return client
}

/** What people use today. */
async function olderClient(key: string): Promise<OlderClient> {
  const client = new OlderClient(WHO)
  // Their types are not made for exactOptionalPropertyTypes.
  await client.connect(new OlderTransport(...target(key)) as never)
  return client
}

test.each([
  ['newest', newClient, 701],
  ['older', olderClient, 702],
] as const)('the client of the %s revision lists, reads, completes and prompts', async (_, connect, seed) => {
  const key = makeKey(seed)
  const { id } = await addNote(key, 'Weekly plan')
  const client = await connect(key)
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
  expect(code).toBe(connect === newClient ? -32602 : -32002)
  const { prompts } = await client.listPrompts()
  for (const { name } of prompts) {
    const { messages } = await client.getPrompt({ name, arguments: name.startsWith('make') ? { note: value } : {} })
    expect(messages.length).toBeGreaterThan(1)
  }
  await client.close()
})

test('the client of the newest revision hears of changes until it closes', async () => {
  const key = makeKey(703)
  const { id } = await addNote(key, 'Plan')
  const client = await newClient(key)
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
  await client.close()
})

test('the client of the newest revision knows a stream that the server ends', async () => {
  await using mortal = await makeWorld()
  const client = await newClient(makeKey(704), mortal.listen())
  const subscription = await client.listen({ resourcesListChanged: true })
  mortal.endStreams()
  expect(await subscription.closed).toBe('graceful')
  await client.close()
})
