import { serveReader } from '../../imports/read-file'
import { readTodoTxt } from '../formats/todo-txt'
import { readTodoist } from '../formats/todoist'
import type { CalendarParams } from './import-item'
import { readCalendar } from './read-calendar'

serveReader<CalendarParams>((file, params) => {
  if (params.format === 'todoist') return readTodoist(file, params)
  return params.format === 'todo.txt' ? readTodoTxt(file, params) : readCalendar(file)
})
