import { loadSentences } from './words/say'

const root = document.getElementById('app')
if (!root) throw new Error('The page has no element for the app')
await loadSentences()
// Only now: the other parts have sentences as soon as they are loaded.
const { startApp } = await import('./shell/Shell')
startApp(root)
