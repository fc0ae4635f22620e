import { serveReader } from '../../imports/reading'
import { readFlashcards } from './reading'

serveReader(readFlashcards)
