import { serveReader } from '../../imports/reading'
import { readCalendar } from './read-calendar'

serveReader(readCalendar)
