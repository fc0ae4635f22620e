/**
 * `bun run repl`: the whole app with some data, outside the test runner, at a prompt. `world` is that of the tests; `ask`
 * sends a request with a key and returns its body. The server also listens, for curl. Everything is in a folder of its
 * own, which goes with the process.
 */
import { start } from 'node:repl'
import { makeKey, makeWorld } from './world'

const key = makeKey(1)
const world = await makeWorld({ start: Date.now() })

/** Sends a request with the key; returns the body of the answer. */
async function ask(method: string, path: string, body?: unknown) {
  return (await world.call({ key }, method, path, body)).body
}

const note = await ask('POST', '/api/notes', { title: 'House', body: 'The boiler warranty ends on 3 May 2027. #home' })
await ask('POST', '/api/notes', { title: 'Plants', body: 'Water them weekly. See [[House]].' })
await ask('POST', '/api/tasks/quick', { text: 'Water the plants every Monday at 9am #home' })
await ask('POST', '/api/tasks', { title: 'Renew the warranty', note_ids: [note.id] })
const deck = await ask('POST', '/api/flashcards/decks', { name: 'Spanish' })
await ask('POST', '/api/flashcards/facts', { deck_id: deck.id, type: 'basic', front: 'la casa', back: 'the house' })

process.stdout.write(`The app listens on ${world.listen()}; its key is ${key}
  await ask('GET', '/api/notes')     a request with the key
  world.clock.now += 3600_000        an hour later
  await world.db.all('SELECT …')     SQL
`)
const server = start({ prompt: 'satchel> ' })
Object.assign(server.context, { world, ask, key, note, deck })
server.on('exit', () => process.exit())
