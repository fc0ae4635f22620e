import { serveReader } from '../../imports/read-file'
import { readCalendar } from './read-calendar'

serveReader(readCalendar)
