import { expect } from 'bun:test'
import { archiveOf, NOTE_TYPE_LINE } from '../archive/support'
import type { As, makeWorld } from '../support/world'

export type World = Awaited<ReturnType<typeof makeWorld>>

/** Makes a resource. */
export async function made(world: World, as: As, path: string, body: unknown, headers = {}) {
  const answer = await world.call(as, 'POST', path, body, headers)
  expect([path, answer.status]).toEqual([path, 201])
  return answer.body
}

/** Something of every kind, some of it in the trash. */
export async function fill(world: World, as: As) {
  const note = await made(world, as, '/api/notes', {
    title: 'A',
    body: '# H\n#tag [[B]] 会议',
    folder: 'f',
    properties: { done: 1 },
  })
  const other = await made(world, as, '/api/notes', { title: 'B', body: 'two' })
  await world.call(as, 'PATCH', `/api/notes/${note.id}`, { body: 'changed [[B]] #tag' })
  const gone = await made(world, as, '/api/notes', { title: 'Gone', body: 'x', tags: ['old'] })
  await world.call(as, 'DELETE', `/api/notes/${gone.id}`)
  await made(world, as, '/api/notes', { title: 'Once' }, { 'Idempotency-Key': 'one' })
  const project = await made(world, as, '/api/tasks/projects', { name: 'P' })
  const section = await made(world, as, '/api/tasks/sections', { name: 'S', project_id: project.id })
  const task = await made(world, as, '/api/tasks', { title: 'T', labels: ['l'], section_id: section.id })
  const waiting = {
    title: 'W',
    notes: 'ÄRGER',
    blocked_by: [task.id],
    note_ids: [other.id],
    due: { date: '2026-03-02' },
  }
  const repeating = await made(world, as, '/api/tasks', { ...waiting, recurrence: { rrule: 'FREQ=DAILY' } })
  await world.call(as, 'POST', `/api/tasks/${repeating.id}/complete`, {})
  await made(world, as, '/api/tasks/filters', { name: 'F', filter: 'today' })
  if (as.key !== undefined) await made(world, as, '/api/tasks/feeds', { name: 'feed' })
  const deck = await made(world, as, '/api/flashcards/decks', { name: 'D' })
  const sub = await made(world, as, '/api/flashcards/decks', { name: 'E', parent_id: deck.id })
  const fact = await made(world, as, '/api/flashcards/facts', {
    deck_id: sub.id,
    type: 'reversed',
    front: 'f',
    back: 'b',
    tags: ['t'],
    note_ids: [other.id],
  })
  const [card] = (await world.call(as, 'GET', '/api/flashcards/cards')).body.items
  await made(world, as, `/api/flashcards/cards/${card.id}/reviews`, { rating: 4 })
  const retained = { settings: { desired_retention: 0.7 } }
  const moved = await world.call(as, 'PATCH', `/api/flashcards/decks/${deck.id}?reschedule=true`, retained)
  expect(moved.status).toBe(200)
  expect((await world.call(as, 'PUT', '/api/flashcards/media/a.txt', 'bytes')).status).toBe(201)
  expect((await world.call(as, 'POST', '/api/notes/attachments?name=a.txt', 'other bytes')).status).toBe(201)
  const trash = { messages: [{ role: 'user', content: 'trash the note "A"' }] }
  expect((await world.call(as, 'POST', '/api/chat', trash)).body.actions[0].status).toBe('pending')
  const add = { messages: [{ role: 'user', content: 'add a task: swim' }] }
  expect((await world.call(as, 'POST', '/api/chat', add)).body.undo).not.toBeNull()
  expect((await world.call(as, 'GET', '/api/search?q=a')).status).toBe(200)
  const erased = await made(world, as, '/api/notes', { title: 'Erased' })
  expect((await world.call(as, 'GET', '/api/search?q=a')).status).toBe(200)
  await world.call(as, 'DELETE', `/api/notes/${erased.id}?permanent=true`)
  await world.call(as, 'PATCH', '/api/flashcards/settings', { time_zone: 'Europe/Berlin' })
  await world.call(as, 'PATCH', '/api/workspace/settings', { time_zone: 'Europe/Berlin' })
  await run(world, 'make embeddings')
  const form = { 'Content-Type': 'application/zip' }
  const archive = archiveOf({ note_type: [NOTE_TYPE_LINE] })
  expect((await world.call(as, 'POST', '/api/import', archive, form)).status).toBe(200)
  // As in the middle of a rename.
  await world.db.run(`INSERT INTO note_former_names (workspace, name_key, step, folder_length, id, rename, key)
    SELECT workspace, name_key, step, folder_length, id, 'r', key FROM note_names WHERE true ON CONFLICT DO NOTHING`)
  // As after a file that very many notes link to.
  await world.db.run(
    'INSERT INTO notes_to_recount SELECT key, workspace FROM notes WHERE true ON CONFLICT DO NOTHING',
    [],
  )
  // As imports of notes and of a calendar leave them.
  await world.db.run(`INSERT INTO note_imports (workspace, key, file_hash, note_hash)
    SELECT workspace, key, 'f', 'n' FROM notes WHERE true ON CONFLICT DO NOTHING`)
  await world.db.run(`INSERT INTO task_calendar_rests (workspace, task, rest, file_hash, task_hash)
    SELECT workspace, key, '', 'f', 't' FROM tasks WHERE true ON CONFLICT DO NOTHING`)
  const label = await made(world, as, '/api/tasks/labels', { name: 'gone' })
  await world.call(as, 'DELETE', `/api/tasks/labels/${label.id}`)
  expect((await world.call(as, 'DELETE', '/api/trash?confirm=erase&type=task_label')).body.erased).toBe(1)
  return { note, gone, task, project, fact, deck }
}

/** Runs the job whose name holds `name`. */
export async function run(world: World, name: string): Promise<void> {
  const job = world.jobs.find((one) => one.name.includes(name))
  if (!job) throw new Error(`no job of the name ${name}`)
  await job.run(new AbortController().signal)
}
