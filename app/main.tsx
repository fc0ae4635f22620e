import { startApp } from './shell/Shell'

const root = document.getElementById('app')
if (!root) throw new Error('The page has no element for the app')
startApp(root)
