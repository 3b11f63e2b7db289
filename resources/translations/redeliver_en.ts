<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>redeliver::ui::Attempts</name>
    <message numerus="yes">
        <source>%n deliveries</source>
        <translation>
            <numerusform>%n delivery</numerusform>
            <numerusform>%n deliveries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n absorbed</source>
        <translation>
            <numerusform>%n absorbed</numerusform>
            <numerusform>%n absorbed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed before commit</source>
        <translation>
            <numerusform>%n failed before commit</numerusform>
            <numerusform>%n failed before commit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n acks failed</source>
        <translation>
            <numerusform>%n ack failed</numerusform>
            <numerusform>%n acks failed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>redeliver::ui::MigrationDialog</name>
    <message numerus="yes">
        <source>%n migration(s) will be applied to schema %1, each in a transaction of its own.</source>
        <translation>
            <numerusform>%n migration will be applied to schema %1, in a transaction of its own.</numerusform>
            <numerusform>%n migrations will be applied to schema %1, each in a transaction of its own.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>redeliver::ui::PlanText</name>
    <message numerus="yes">
        <source>%n offset ranges</source>
        <translation>
            <numerusform>%n offset range</numerusform>
            <numerusform>%n offset ranges</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>redeliver::ui::RecordPanel</name>
    <message numerus="yes">
        <source>%n headers</source>
        <translation>
            <numerusform>%n header</numerusform>
            <numerusform>%n headers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>redeliver::ui::SkipDialog</name>
    <message numerus="yes">
        <source>%n record(s) at offsets %1 to %2 are skipped: this consumer will not apply them.</source>
        <translation>
            <numerusform>%n record at offsets %1 to %2 is skipped: this consumer will not apply it.</numerusform>
            <numerusform>%n records at offsets %1 to %2 are skipped: this consumer will not apply them.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>redeliver::ui::StatusBar</name>
    <message numerus="yes">
        <source>%n consumer(s)</source>
        <translation>
            <numerusform>%n consumer</numerusform>
            <numerusform>%n consumers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>redeliver::ui::StoppedPanel</name>
    <message numerus="yes">
        <source>%n partition(s) wait for a person: going on could repeat an effect or skip a message</source>
        <translation>
            <numerusform>%n partition waits for a person: going on could repeat an effect or skip a message</numerusform>
            <numerusform>%n partitions wait for a person: going on could repeat an effect or skip a message</numerusform>
        </translation>
    </message>
</context>
</TS>
