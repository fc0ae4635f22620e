"""Does one thing with a collection of Anki, and prints as JSON what the collection holds then.

python3 anki.py LIBRARY FOLDER make|study|replace|update [PACKAGE]
"""

import datetime
import json
import os
import sys
import time
import zipfile

library, folder, command, *rest = sys.argv[1:]
sys.path.insert(0, library)

from anki import Collection
from anki.exporting import AnkiCollectionPackageExporter
from anki.importing.apkg import AnkiPackageImporter

os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, 'collection.anki2')
media = os.path.join(folder, 'collection.media')
DAY = 86400


def replace(package):
    """What the program does with a .colpkg: the collection is exchanged, the media are added."""
    os.makedirs(media, exist_ok=True)
    with zipfile.ZipFile(package) as file:
        with open(path, 'wb') as target:
            target.write(file.read('collection.anki2'))
        for number, name in json.loads(file.read('media')).items():
            with open(os.path.join(media, name), 'wb') as target:
                target.write(file.read(number))


def add(name, *fields, tags='', deck='Default'):
    model = col.models.byName(name)
    model['did'] = col.decks.id(deck)
    col.models.setCurrent(model)
    note = col.newNote(forDeck=False)
    for i, text in enumerate(fields):
        note.fields[i] = text
    note.setTagsFromStr(tags)
    col.addNote(note)
    time.sleep(0.002)
    return note


def studied(card, interval, days):
    """Gives a card a schedule, and a log that ends so many days ago."""
    col.sched.reschedCards([card.id], interval, interval)
    col.db.execute('delete from revlog where cid = ?', card.id)
    col.db.execute('update cards set reps = 2, factor = 2350, type = 2, queue = 2 where id = ?', card.id)
    for n, (ago, ease, kind) in enumerate([(days + 3, 3, 0), (days, 2, 1)]):
        at = int((time.time() - ago * DAY) * 1000) + card.id % 1000
        row = (at + n, card.id, -1, ease, interval, 1, 2350, 4000 + n, kind)
        col.db.execute('insert into revlog values (?,?,?,?,?,?,?,?,?)', *row)


def answer(card, ease):
    col.reset()
    card = col.getCard(card.id)
    card.startTimer()
    col.sched.answerCard(card, min(ease, col.sched.answerButtons(card)))
    time.sleep(0.01)


def make():
    col.changeSchedulerVer(2)
    model = col.models.copy(col.models.byName('Basic'))
    model['name'] = 'Own'
    model['css'] = '.card { color: red }'
    template = col.models.newTemplate('Second')
    template['qfmt'], template['afmt'] = 'Say {{Back}}', '{{FrontSide}}<hr id=answer>{{Front}}'
    col.models.addTemplate(model, template)
    col.models.save(model)
    with open(os.path.join(media, 'rio.png'), 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\npicture')
    notes = [
        add('Basic', 'o <b>rio</b> <img src="rio.png">', 'the river &amp; more', tags='water noun', deck='A::B'),
        add('Basic', 'edited here', 'plain', deck='A::B'),
        add('Basic', 'edited there', 'plain', tags='old', deck='A'),
        add('Basic (and reversed card)', 'um', 'one', deck='A'),
        add('Basic (optional reversed card)', 'dois', 'two', 'y'),
        add('Basic (optional reversed card)', 'only one', 'card', ''),
        add('Basic (type in the answer)', 'quatro', 'four'),
        add('Cloze', '{{c1::Lisboa::city}} fica no {{c2::Tejo}}', 'extra', tags='geo::pt'),
        add('Own', 'front', 'back', deck='C'),
        add('Basic', 'suspended', 'x'),
        add('Basic', 'buried', 'x'),
        add('Basic', 'filtered', 'x', tags='cram'),
    ]
    cards = [note.cards() for note in notes]
    for i, card in enumerate([cards[0][0], cards[1][0], cards[3][1], cards[7][0], cards[8][1], cards[11][0]]):
        studied(card, 9 + i, 4 + i)
    for note in (2, 4):
        answer(cards[note][0], 3)
    col.sched.suspendCards([cards[9][0].id])
    col.sched.buryCards([cards[10][0].id])
    filtered = col.decks.newDyn('Cram')
    deck = col.decks.get(filtered)
    deck['terms'][0][0] = 'tag:cram'
    deck['resched'] = True
    col.decks.save(deck)
    col.sched.rebuildDyn(filtered)
    col.reset()
    answer(cards[11][0], 3)


def study():
    """Edits one note, and answers cards: one that was answered meanwhile elsewhere as well, and others."""
    for front, text, tags in [('edited there', 'changed in <i>Anki</i>', 'new'), ('front', 'back of Anki', '')]:
        note = col.getNote(col.findNotes('"%s"' % front)[0])
        note.fields[1] = text
        note.setTagsFromStr(tags)
        note.flush(mod=int(time.time()) + 2)
    for front, ease in [('um', 3), ('quatro', 1), ('quatro', 3), ('edited here', 2)]:
        answer(col.getNote(col.findNotes('"%s"' % front)[0]).cards()[0], ease)


def told():
    rollover = col.conf.get('rollover', 4)
    today = (datetime.datetime.now() - datetime.timedelta(hours=rollover)).date()
    guids = dict(col.db.all('select id, guid from notes'))
    cards = []
    for cid in col.db.list('select id from cards order by nid, ord'):
        card = col.getCard(cid)
        due = card.odue or card.due
        if card.type == 2:
            due = str(today + datetime.timedelta(days=due - col.sched.today))
        cards.append({
            'guid': guids[card.nid], 'ord': card.ord, 'deck': col.decks.name(card.odid or card.did), 'type': card.type,
            'queue': card.queue, 'due': due, 'interval': card.ivl, 'ease': card.factor, 'lapses': card.lapses,
        })
    log = col.db.all('select n.guid, c.ord, r.id, r.ease, r.time from revlog r join cards c on c.id = r.cid '
                     'join notes n on n.id = c.nid order by r.id')
    col.reset()
    return {
        'notes': [{'guid': guid, 'fields': fields.split('\x1f'), 'tags': tags.split(), 'type': col.models.get(mid)['name']}
                  for guid, fields, tags, mid in col.db.all('select guid, flds, tags, mid from notes order by id')],
        'models': sorted(model['name'] for model in col.models.all()),
        'cards': cards, 'log': log, 'media': sorted(os.listdir(media)), 'counts': list(col.sched.counts()),
        'conf': col.conf, 'options': [[deck['name'], col.decks.confForDid(deck['id'])] for deck in col.decks.all()
                                      if not deck['dyn']],
        'log_rows': col.db.scalar('select count() from revlog'),
    }


if command == 'replace':
    replace(rest[0])
col = Collection(path)
result = {}
if command == 'make':
    make()
elif command == 'study':
    study()
elif command == 'update':
    importer = AnkiPackageImporter(col, rest[0])
    importer.run()
    result = {'added': importer.added, 'updated': importer.updated}
if command in ('make', 'study'):
    col.save()
    # With its second scheduler this version exports no other package that has the schedule.
    exporter = AnkiCollectionPackageExporter(col)
    exporter.includeMedia = True
    exporter.exportInto(os.path.join(folder, 'out.colpkg'))
# The check changes how a collection is stored, and nothing that a person would see.
before = told()
problems, ok = col.fixIntegrity()
sound = bool(ok and col.basicCheck()) and told()['cards'] == before['cards']
print(json.dumps({**before, **result, 'sound': sound, 'problems': problems}))
col.close()
