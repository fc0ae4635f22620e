import type { Ask } from './visitor'

interface Owner {
  /** A word that stands in all that it stores. */
  readonly word: string
  readonly id: string
}

/** Every endpoint of tasks, by what is one's own, what both have under one id, and what is the other's alone. */
export function taskScript(me: Owner, other: Owner, shared: string): Ask[] {
  const base = '/api/tasks'
  const post = (path: string, body?: unknown): Ask => ({ method: 'POST', path: base + path, body })
  const due = { date: '2026-02-01' }
  const series = { due, recurrence: { rrule: 'FREQ=DAILY' }, labels: ['common', me.word], notes: `of ${me.word}` }
  const read = [
    ...['', '?limit=1', '?sort=-created', '?trashed=true', `?filter=@${other.word}`, '?filter=overdue'],
    ...[`?ids=${me.id},${shared},${other.id}`, `?label=${other.word}`, `?q=${other.word}`, '?sort=-priority,due,title'],
    ...['parent_id', 'project_id', 'section_id'].map((name) => `?${name}=${other.id}&include=subtasks`),
    ...['true', 'any'].map((archived) => `?archived=${archived}&status=any`),
  ]
  const reading: Ask[] = [...read.map((query) => ({ path: base + query })), { path: `${base}/completed?limit=1` }]
  const settings = (body: object): Ask => ({ method: 'PATCH', path: '/api/workspace/settings', body })
  return [
    settings({ time_zone: `Etc/GMT-${me.word.length}` }),
    post('/projects', { id: me.id, name: me.word }),
    post('/sections', { id: me.id, name: me.word, project_id: me.id }),
    post('/sections', { name: me.word, project_id: other.id }),
    post('', { id: shared, title: me.word, source: { system: 'same', id: 'same' }, ...series }),
    post('', { id: me.id, title: `House of ${me.word}`, blocked_by: [shared], ...series }),
    post('', { title: 'taken', id: shared }),
    post('', { title: 'taken', source: { system: 'same', id: 'same' } }),
    ...['parent_id', 'project_id', 'section_id'].map((member) => post('', { title: 'T', [member]: other.id })),
    post('/quick', { text: 'feed it', project_id: other.id }),
    ...['blocked_by', 'note_ids'].map((member) => post('', { title: 'T', [member]: [other.id] })),
    post('', { title: 'part', parent_id: me.id }),
    ...reading,
    ...[me.id, shared, other.id].flatMap((id) => [
      { path: `${base}/${id}` },
      { path: `${base}/${id}`, headers: { 'If-None-Match': '"1-1"' } },
      {
        method: 'PATCH',
        path: `${base}/${id}`,
        body: { title: `now of ${me.word}` },
        headers: { 'If-Match': '"7-0"' },
      },
      { method: 'PATCH', path: `${base}/${id}`, body: { title: `now of ${me.word}`, labels: [me.word, 'COMMON'] } },
      ...['complete', 'skip', 'complete', 'reopen'].map((action) => post(`/${id}/${action}`)),
      ...['completions', 'completions?limit=1', 'occurrences?limit=3'].map((list) => ({
        path: `${base}/${id}/${list}`,
      })),
      { method: 'DELETE', path: `${base}/${id}/completions/${other.id}` },
      post(`/${id}/move`, { after: null }),
      post(`/${id}/move`, { after: other.id }),
      post(`/${id}/move`, { parent_id: other.id }),
      post(`/${id}/move`, { project_id: other.id }),
      post(`/${id}/move`, { section_id: other.id }),
      { path: `${base}/${id}?include=subtasks` },
      { method: 'DELETE', path: `${base}/${id}` },
      { path: `${base}?trashed=true` },
      post(`/${id}/restore`),
    ]),
    post('/quick', { text: `feed the ${me.word} #${other.word} @common tomorrow` }),
    post('/batch', { atomic: false, ops: [me.id, shared, other.id].map((id) => ({ op: 'complete', id })) }),
    ...reading,
    ...calendarScript(me, other, shared),
    ...[other.id, me.id].map((id) => ({ method: 'DELETE', path: `${base}/${id}?permanent=true` })),
    { method: 'PATCH', path: `${base}/projects/${me.id}`, body: { archived_at: '2026-03-01T00:00:00.000Z' } },
    ...reading,
    { method: 'DELETE', path: `${base}/projects/${me.id}` },
    post(`/projects/${me.id}/restore`),
    { method: 'DELETE', path: `${base}/projects/${me.id}?permanent=true` },
    { path: '/api/workspace/settings' },
    ...reading,
    { path: '/api/changes?limit=200' },
  ]
}

/** Calendar files and feeds. Of bytes that are answered as they are, only what has the ids that were sent. */
function calendarScript(me: Owner, other: Owner, shared: string): Ask[] {
  const base = '/api/tasks'
  const mine = encodeURIComponent(`@${me.word}`)
  const foreign = encodeURIComponent(`@${other.word}`)
  const file = `BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:same\r\nSUMMARY:${me.word}\r\nEND:VTODO\r\nBEGIN:VTODO\r\nUID:${other.id}\r\nSUMMARY:x\r\nRELATED-TO:same\r\nEND:VTODO\r\nEND:VCALENDAR\r\n`
  const files = ['export?format=ics', 'export?format=json']
  const feed = (body: object): Ask => ({ method: 'POST', path: `${base}/feeds`, body })
  return [
    ...['?dry_run=true', ''].map((query) => ({
      method: 'POST',
      path: `${base}/import${query}`,
      body: file,
      headers: { 'Content-Type': 'text/calendar' },
    })),
    ...files.flatMap((path) => [mine, foreign].map((filter) => ({ path: `${base}/${path}&filter=${filter}` }))),
    feed({ id: shared, name: me.word, filter: `@${me.word}` }),
    feed({ id: me.id, name: 'mine' }),
    feed({ id: me.id, name: 'taken' }),
    feed({ name: 'foreign', filter: `@${other.word}` }),
    ...[me.id, shared, other.id].flatMap((id) => [
      { path: `${base}/feeds/${id}` },
      { method: 'PATCH', path: `${base}/feeds/${id}`, body: { name: `now of ${me.word}` } },
    ]),
    { path: `${base}/feeds` },
    { path: `${base}/feeds?limit=1` },
    { method: 'DELETE', path: `${base}/feeds/${other.id}` },
    { method: 'DELETE', path: `${base}/feeds/${me.id}` },
    { path: `${base}/feeds` },
  ]
}
