import type { As } from '../support/world'
import type { ArchiveWorld } from './support'

/** Tasks of every kind, done and undone, with all that they are sorted by, and a trash. */
export async function fillTasks(world: ArchiveWorld, me: As): Promise<void> {
  const { made, call, clock } = world
  const act = async (path: string, body: object = {}) => {
    clock.now += 1000
    return made(me, path === '' ? '/api/tasks' : `/api/tasks/${path}`, body)
  }
  const home = await act('projects', { name: 'Home', color: '#cc3333' })
  const gone = await act('projects', { name: 'Gone' })
  const kitchen = await act('sections', { name: 'Kitchen', project_id: home.id })
  await act('filters', { name: 'Soon', filter: 'today or overdue' })
  const [note] = (await call(me, 'GET', '/api/notes?limit=1')).body.items
  const water = await act('', {
    title: 'Water',
    notes: 'the *plants*',
    due: { date: '2026-03-02', time: '09:00', time_zone: 'Europe/Berlin' },
    recurrence: { rrule: 'FREQ=DAILY' },
    labels: ['garden', 'Daily'],
    priority: 2,
    section_id: kitchen.id,
    note_ids: note ? [note.id] : [],
    reminders: [{ offset_minutes: -10, from: 'due' }],
  })
  const part = await act('', { title: 'Fill the can', parent_id: water.id })
  const waiting = await act('', { title: 'Rest', blocked_by: [water.id] })
  await act(`${part.id}/complete`)
  await act(`${water.id}/complete`)
  await act(`${water.id}/skip`)
  await act(`${waiting.id}/complete`, { force: true }).catch(() => null)
  const lost = await act('', { title: 'Lost', project_id: gone.id, labels: ['old'] })
  await act('', { title: 'Lost part', parent_id: lost.id })
  await call(me, 'DELETE', `/api/tasks/${lost.id}`)
  await call(me, 'DELETE', `/api/tasks/projects/${gone.id}?tasks=trash`)
  const [label] = (await call(me, 'GET', '/api/tasks/labels?limit=1')).body.items
  await call(me, 'PATCH', `/api/tasks/labels/${label.id}`, { color: '#3366cc' })
}
