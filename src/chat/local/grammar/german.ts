import type { CommandWords } from './english'

/** German. */
export const GERMAN_WORDS: CommandWords = {
  // Things.
  ...{ task: 'aufgabe|aufgaben|erinnerung|todo|to-do|todos', note: 'notiz', notes: 'notiz|notizen' },
  ...{ cards: 'karteikarten|karten|lernkarten|karteikarte|karte', deck: 'stapel|deck', project: 'projekt' },
  summary: 'zusammenfassung|kurze zusammenfassung',
  ...{ folder: 'ordner', tag: 'tag|schlagwort|etikett|label', bin: 'papierkorb' },
  list: 'meine liste|die liste|meiner liste|der liste|aufgabenliste|meine aufgabenliste|die aufgabenliste|meiner aufgabenliste|der aufgabenliste|meine to-do-liste|meiner to-do-liste|die to-do-liste|der to-do-liste|meine todo-liste|meiner todo-liste|to-do-liste',
  // Verbs.
  put: 'füge|füg|setze|setz|schreib|schreibe|ergänze|ergänz|trage|trag|pack|packe|nimm|hinzufügen|setzen|schreiben|eintragen|ergänzen',
  make: 'füge|füg|erstelle|erstell|lege|leg|schreibe|schreib|mache|mach|neue|erstellen|anlegen|hinzufügen|schreiben',
  ...{ rename: 'benenne|benenn|nenne|nenn|umbenennen', dub: 'nenne|nenn' },
  trash: 'lösche|lösch|entferne|entfern|streiche|streich|nimm|nehme|wirf|löschen|entfernen|streichen|wegwerfen',
  tick: 'hake|hak|streiche|streich|abhaken',
  finish: 'erledige|hake|hak|schließe|schließ|beende|erledigen|abhaken|abschließen|beenden',
  ...{ reopen: 'öffne|öffnen', state: 'markiere|markier|setze|setz|markieren' },
  move: 'verschiebe|verschieb|verlege|verleg|verschieben|verlegen|setze',
  file: 'verschiebe|verschieb|lege|leg|pack|packe|wirf|verschieben',
  ...{ keep: 'lege|leg|pack|packe|speichere|speicher|füge|füg', labels: 'markiere|kennzeichne|versieh|tagge' },
  draft: 'mache|mach|erstelle|erstell|erzeuge|gib|gib mir',
  ...{ restore: 'stelle|stell|hole|hol', take: 'hole|hol|nimm' },
  begin: 'erstelle|erstell|schreibe|schreib|mache|mach|lege|leg|erstellen|anlegen',
  ...{
    bare: 'aufgabe|neue aufgabe',
    remind: 'erinnere mich|erinner mich|mich daran erinnern|mich bitte daran erinnern|mich erinnern',
  },
  ...{ find: 'suche|such|finde|find|zeige|zeig|zeige mir|zeig mir|suchen|finden', sum: 'fasse|fass|zusammenfassen' },
  ...{ memo: 'notiz|neue notiz|notiere|notiere dir' },
  // Words between verbs and things.
  det: 'der|die|das|den|dem|eine|einen|einer|ein|dieser|meine|meinen|meiner|mein|meinem|neue|neuen|neuer|neues|alle',
  ...{ my: 'die|meine', fresh: 'eine|neue|ein', named: 'namens|mit dem titel' },
  ...{ and: 'und', to: 'auf|zu|zur|zum|in|im|an|ins', of: 'von', off: 'von|aus|auf', from: 'aus|von' },
  ...{ by: 'durch|mit', as: 'mit|als' },
  ...{ into: 'in|zu|auf', onto: 'auf|bis|zu|zum|für|am|auf den|auf die' },
  ...{ conn: 'an|daran|daran , dass|daran ,|dass|:|,|namens|für', saying: ':|, dass|dass', says: ':|,|dass' },
  ...{ telling: 'an|daran|daran ,|daran , dass|dass|, dass', that: 'dass|, dass', about: 'über|zu|mit' },
  me: 'mir|dir|mich|bitte|mir bitte|bitte mir',
  particle: 'hinzu|an|ab|ein|um|auf|wieder auf|wieder her|zusammen|wieder|erneut|zurück|dazu|runter|weg',
  joint: ',|;|.|!|bitte|und|dann|also',
  // The part of "anlegen" that stands at the end of a sentence.
  apart: 'an',
  please:
    'und|dann|auch|bitte|kannst du bitte|kannst du|könntest du bitte|könntest du|kannst du mir|könntest du mir|mal',

  // Levels and states of tasks.
  done: 'erledigt|fertig|als erledigt|als fertig|als abgeschlossen',
  undone: 'als offen|als unerledigt|offen|unerledigt|als nicht erledigt',
  p1: 'höchste priorität|dringend|dringende|dringenden|priorität 1',
  ...{ p2: 'hohe priorität|hoher priorität|priorität 2', p3: 'mittlere priorität|mittlerer priorität|priorität 3' },
  ...{ p4: 'niedrige priorität|niedriger priorität|priorität 4', p0: 'ohne priorität' },
  finished: 'erledigt|erledigte|erledigten|fertig|abgeschlossen',
  ...{ overdue: 'überfällig|überfällige|überfälligen', undated: 'ohne datum|ohne termin' },
  ...{ recurring: 'wiederkehrend|wiederkehrende|wiederkehrenden', blocked: 'blockiert|blockierte' },
  ...{ in_progress: 'in arbeit', cancelled: 'abgebrochen|abgebrochene' },
  // Words that ask, and what tells that nothing is to be done.
  ask: 'was|wer|wen|wem|wann|wo|wie|warum|wieso|welche|welcher|welches|welchen|ob',
  subject: 'ich|du|er|sie|wir|ihr|man|soll|sollte|muss|wer|wie|warum|wann|wo|was|hat|habe|hast',
  ...{ refuse: 'nicht|nie|niemals|kein|keine|keinen', shows: 'zeige|zeig|zeige mir|zeig mir|liste|nenne' },
  owns: 'habe ich|hab ich|meine|meiner|offen|offene|offenen|noch|ich|noch offen',
  fill: 'was|liegt|welche|welcher|welches|mir|ist|sind|war|waren|hat|haben|habe|wurde|wurden|es|gibt|im|in|an|am|ich|alles|alle|mit|und|bitte|sich|steht|stehen|von|für|dem|den|der|die|das|zu',
  howmany: 'wie viele|wieviele|anzahl',
  // The last two have had a day within: "was steht am Freitag an".
  agenda:
    'was steht an|was steht so an|was muss ich tun|was muss ich noch tun|was muss ich machen|was muss ich noch machen|was habe ich vor|agenda|tagesplan|was steht am an|was habe ich am vor',
  changes:
    'was hat sich geändert|was hat sich verändert|was wurde geändert|was ist neu|was hat sich alles geändert|was habe ich geändert|letzte änderungen|änderungen',
  deleted: 'gelöscht|gelöschte|gelöschten',
  clock:
    'wie spät ist es|wie viel uhr ist es|welcher tag ist|welcher tag ist es|welches datum ist|welches datum haben wir|welchen tag haben wir',
  study: 'zu lernen|zu wiederholen|lernen|wiederholen',
  ...{
    hello: 'hallo|guten tag|guten morgen|guten abend',
    thank: 'danke|danke schön|danke sehr|vielen dank|tschüss|auf wiedersehen',
  },
  // The first is "was kannst du" without what may be courtesy.
  help: 'was|hilfe|was kannst du alles',
  // What a question can be narrowed to.
  labelled: 'mit dem tag|mit dem schlagwort|mit dem etikett|mit dem label|mit tag|mit schlagwort|mit etikett',
  ...{ inproject: 'im projekt|in dem projekt|aus dem projekt', infolder: 'im ordner|in dem ordner|aus dem ordner' },
  ...{ indeck: 'im stapel|im deck|aus dem stapel', inside: 'in|im|aus', created: 'erstellt|angelegt|geschrieben' },
  ...{ updated: 'geändert|bearbeitet|aktualisiert', due: 'fällig|fälligen|geplant' },
  ...{ latest: 'neueste|neuesten|letzte notizen|letzten notizen', newest: 'letzten|neuesten|letzte' },
  // Dates.
  day: 'heute|morgen|gestern|übermorgen|vorgestern|woche|wochen|monat|monaten|jahr|tag|tage|tagen|wochenende|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember',
  dated_:
    'diese|dieser|diesen|dieses|diesem|nächste|nächsten|nächstes|nächster|letzte|letzten|letztes|letzter|kommende|kommenden|dem|den',
  ...{ today: 'heute', tomorrow: 'morgen', week: 'diese woche', before: 'vor', until: 'bis', after: 'nach' },
  since: 'seit',
}
