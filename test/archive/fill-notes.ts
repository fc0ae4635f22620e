import type { As } from '../support/world'
import type { ArchiveWorld } from './support'

/** Notes of every kind, with histories, links, labels and a trash. */
export async function fillNotes(world: ArchiveWorld, me: As): Promise<void> {
  const { made, call, clock } = world
  const patch = async (id: string, body: object) => {
    clock.now += 1000
    return call(me, 'PATCH', `/api/notes/${id}`, body)
  }
  const plan = await made(me, '/api/notes', {
    title: 'Plan',
    body: '# Plan\n\n- [ ] book the #train [[Trip]] [[Nowhere]]\n',
    folder: 'Work/Plans',
    tags: ['Travel', 'café'],
    properties: { color: 'blue', list: [1, { deep: null }] },
    source: { system: 'elsewhere', id: '7', url: 'https://example.org/7' },
  })
  await patch(plan.id, { body: 'second 会议 [[Trip]]' })
  await patch(plan.id, { pinned: true })
  await patch(plan.id, { title: 'The plan', tags: ['travel'] })
  await patch(plan.id, { archived_at: '2026-02-02T10:00:00.000Z' })
  await call(me, 'PATCH', `/api/notes/${plan.id}/revisions/1`, { label: 'as sent' })
  await call(me, 'PATCH', `/api/notes/${plan.id}/revisions/4`, { label: 'the newest' })
  const trip = await made(me, '/api/notes', { title: 'Trip', body: `See [[The plan]] and [[note:${plan.id}|it]]` })
  await patch(trip.id, { title: 'Journey' })
  await call(me, 'POST', `/api/notes/${trip.id}/revisions/1/restore`, {})
  await call(me, 'PATCH', `/api/notes/${trip.id}/revisions/3`, { label: 'as it is' })
  const gone = await made(me, '/api/notes', { title: 'Gone', body: 'away #old', tags: ['old'] })
  await patch(gone.id, { body: 'away for good #old' })
  await call(me, 'DELETE', `/api/notes/${gone.id}`)
  const back = await made(me, '/api/notes', { body: '\u0001 odd \ud83d\ude00 text\r\n\u2028' })
  await call(me, 'DELETE', `/api/notes/${back.id}`)
  await call(me, 'POST', `/api/notes/${back.id}/restore`)
  await call(me, 'PUT', '/api/notes/daily/2026-03-02', { body: 'today' })
  await call(me, 'PUT', '/api/notes/daily/2026-03-02', { body: 'today, later' })
  await call(me, 'POST', '/api/notes/import', '---\ntags: [x]\n---\n# From a file', { 'Content-Type': 'text/markdown' })
  for (const [path, bytes] of [
    ['name=a.png', 'same'],
    ['name=b.png&folder=img', 'same'],
    ['name=c', 'x'.repeat(3e6)],
  ] as const)
    await made(me, `/api/notes/attachments?${path}`, bytes)
  await made(me, '/api/notes', { title: 'Large', body: 'a'.repeat(1024 * 1024) })
}
