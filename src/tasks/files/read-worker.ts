import { serveReader } from '../../imports/read-file'
import type { CalendarParams } from './import-item'
import { readCalendar } from './read-calendar'
import { readTodoTxt } from './todo-txt'
import { readTodoist } from './todoist'

serveReader<CalendarParams>((file, params) => {
  if (params.format === 'todoist') return readTodoist(file, params)
  return params.format === 'todo.txt' ? readTodoTxt(file, params) : readCalendar(file)
})
