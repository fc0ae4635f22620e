import { serveReader } from '../../imports/reading'
import { readFlashcards } from './read-file'

serveReader(readFlashcards)
